/*
 * The script is gnuplot's standard input and its messages go to a file: there is no pipe that could fill up,
 * and no text passes through a shell.
 */
#include "plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_FIGURE 65536 /* bytes */

enum { TICK_MILLISECONDS = 5 };

extern char **environ;

bool gnuplot_find_format(const char *output, enum gnuplot_format *format, struct error *error)
{
    static const char *const suffixes[] = {
        [GNUPLOT_SVG] = ".svg",
        [GNUPLOT_PNG] = ".png",
        [GNUPLOT_PDF] = ".pdf",
    };
    const char *dot = strrchr(output, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strcasecmp(dot, suffixes[i]) == 0) {
            *format = (enum gnuplot_format)i;
            return true;
        }
    error_set(error, ERROR_INPUT, "%s: a figure's name must end in .svg, .png or .pdf", output);
    return false;
}

void gnuplot_write_terminal(FILE *script, enum gnuplot_format format, double width, double height)
{
    switch (format) {
    case GNUPLOT_SVG:
        fprintf(script,
                "set terminal svg noenhanced size %.0f,%.0f font 'sans-serif,14' background rgb 'white'\n",
                width, height);
        break;
    case GNUPLOT_PNG:
        fprintf(script,
                "set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,14' fontscale 1.5 linewidth 2"
                " pointscale 2 background rgb 'white'\n",
                2 * width, 2 * height);
        break;
    case GNUPLOT_PDF:
        fprintf(script,
                "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,14' fontscale 0.5625 "
                "linewidth 1.5"
                " background rgb 'white'\n",
                width / 96, height / 96);
        break;
    }
}

struct ending {
    const char *bytes;
    size_t length;
};

/* Whether FILE, of LENGTH bytes, ends with ENDING, but for line ends after it. */
static bool ends_with(FILE *file, long length, const struct ending *ending)
{
    char tail[32];
    long from = length > (long)sizeof tail ? length - (long)sizeof tail : 0;
    if (fseek(file, from, SEEK_SET) != 0)
        return false;
    size_t count = fread(tail, 1, sizeof tail, file);
    while (count > 0 && strchr("\r\n", tail[count - 1]) && count > ending->length)
        count--;
    return count >= ending->length &&
           memcmp(tail + count - ending->length, ending->bytes, ending->length) == 0;
}

static enum error_kind blame(const struct gnuplot_drawing *drawing)
{
    return drawing->foreign ? ERROR_INPUT : ERROR_SYSTEM;
}

/* Why PATH can't become a figure, where that is for lack of room, which gnuplot does not tell; or 0. */
static int lack_of_room(const char *path)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    int code = posix_fallocate(file, 0, USUAL_FIGURE);
    close(file);
    return code == ENOSPC || code == EDQUOT || code == EFBIG ? code : 0;
}

static void tell_nothing(const char *path, const struct gnuplot_drawing *drawing, struct error *error)
{
    int code = *drawing->said ? 0 : lack_of_room(path);
    if (code)
        error_set(error, ERROR_SYSTEM, "%s: the figure can not be written: %s", drawing->output,
                  strerror(code));
    else
        error_set(error, blame(drawing), "%s: gnuplot drew nothing into %s%s%s", drawing->template,
                  drawing->output,
                  *drawing->said ? ": " : "; a template has a plot command, and sets no terminal or output",
                  drawing->said);
}

bool gnuplot_check_whole(const char *path, const struct gnuplot_drawing *drawing, struct error *error)
{
    static const struct ending endings[] = {
        [GNUPLOT_SVG] = {"</svg>", 6},
        [GNUPLOT_PNG] = {"IEND\xae\x42\x60\x82", 8},
        [GNUPLOT_PDF] = {"%%EOF", 5},
    };
    FILE *file = fopen(path, "r");
    long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool whole = length > 0 && ends_with(file, length, &endings[drawing->format]);
    if (length < 0)
        error_set(error, ERROR_SYSTEM, "%s: the figure can not be read: %s", drawing->output,
                  strerror(errno));
    else if (length == 0)
        tell_nothing(path, drawing, error);
    else if (!whole)
        error_set(error, ERROR_SYSTEM, "%s: gnuplot left a figure without its end; is the disk full?%s%s%s",
                  drawing->output, drawing->foreign ? " Or does " : "",
                  drawing->foreign ? drawing->template : "", drawing->foreign ? " set a terminal?" : "");
    if (file)
        fclose(file);
    return whole;
}

/* Starts gnuplot with these files as its standard input and standard error; 0 or an error number. */
static int start(pid_t *child, int input, int messages)
{
    static char *const arguments[] = {"gnuplot", "--default-settings", "-", NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    if (code == 0)
        code = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

/* Looked at again and again, as a pipe is (pipe.h): a signal just before a call that waits would not end it.
 */
static int wait_for(pid_t child, const atomic_bool *stop)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (is_stopped(stop))
            kill(child, SIGKILL);
        poll(NULL, 0, TICK_MILLISECONDS);
    }
    return ended < 0 ? -1 : status;
}

/* Whether that is why gnuplot failed: of a signal to the whole group it may get its own first. */
static bool was_interrupted(const atomic_bool *stop)
{
    if (!is_stopped(stop))
        poll(NULL, 0, TICK_MILLISECONDS);
    return is_stopped(stop);
}

/* A message of gnuplot's: what follows '"FILE" line 7: ' or 'line 7: '; NULL of other lines, such as the
 * command it shows and the caret below that. */
static const char *message_of(const char *line)
{
    const char *name = strchr(line, '"'), *end = name ? strstr(name, "\" line ") : NULL;
    const char *place = end ? end + 2 : line;
    size_t digits = strncmp(place, "line ", 5) == 0 ? strspn(place + 5, "0123456789") : 0;
    return digits && strncmp(place + 5 + digits, ": ", 2) == 0 ? place + 5 + digits + 2 : NULL;
}

/* LINE without its file's name, where that is the template's. */
static const char *without_name(const char *line, const char *template)
{
    size_t length = strlen(template);
    const char *name = line + (*line == '"');
    name += strncmp(name, "./", 2) == 0 && *template != '/' ? 2 : 0; /* scripts have relative paths so */
    return strncmp(name, template, length) == 0 && strncmp(name + length, "\" line ", 7) == 0
               ? name + length + 2
               : line;
}

/* What is worth reading of all that gnuplot wrote. */
struct words {
    char first[GNUPLOT_SAID / 2], warning[GNUPLOT_SAID / 2], failure[GNUPLOT_SAID / 2];
};

static void keep(char place[GNUPLOT_SAID / 2], const char *line)
{
    if (!*place)
        snprintf(place, GNUPLOT_SAID / 2, "%s", line);
}

static void look_at_line(struct words *words, const char *line, const char *template)
{
    const char *message = message_of(line);
    keep(words->first, line);
    if (message)
        keep(strncmp(message, "warning:", 8) == 0 ? words->warning : words->failure,
             without_name(line, template));
}

/* What else it wrote is of interest only when it FAILED. */
static void read_messages(FILE *messages, bool failed, struct gnuplot_drawing *drawing)
{
    struct words words = {0};
    char line[1000];
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        look_at_line(&words, line + strspn(line, " "), drawing->template);
    }
    if (*words.failure)
        snprintf(drawing->said, sizeof drawing->said, "%s%s%.180s", words.failure,
                 *words.warning ? ", after " : "", words.warning);
    else
        snprintf(drawing->said, sizeof drawing->said, "%s",
                 *words.warning || !failed ? words.warning : words.first);
}

static void report(const struct gnuplot_drawing *drawing, int status, struct error *error)
{
    if (was_interrupted(drawing->stop))
        error_set(error, ERROR_INTERRUPTED, "interrupted; %s was not drawn", drawing->output);
    else if (status >= 0 && WIFSIGNALED(status))
        error_set(error, ERROR_SYSTEM, "gnuplot was ended by signal %d", WTERMSIG(status));
    else if (*drawing->said)
        error_set(error, blame(drawing), "%s: gnuplot failed: %s", drawing->template, drawing->said);
    else
        error_set(error, blame(drawing), "%s: gnuplot failed with status %d", drawing->template,
                  status < 0 ? status : WEXITSTATUS(status));
}

static bool run(FILE *script, FILE *messages, struct gnuplot_drawing *drawing, struct error *error)
{
    pid_t child;
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) {
        error_set(error, ERROR_SYSTEM, "the script for gnuplot can not be written: %s", strerror(errno));
        return false;
    }
    int code = start(&child, fileno(script), fileno(messages));
    if (code != 0) {
        error_set(error, ERROR_SYSTEM, "gnuplot could not be started: %s%s", strerror(code),
                  code == ENOENT ? " (on Debian it is in the package gnuplot-nox)" : "");
        return false;
    }
    int status = wait_for(child, drawing->stop);
    read_messages(messages, status != 0, drawing);
    if (status != 0)
        report(drawing, status, error);
    return status == 0;
}

bool gnuplot_run(FILE *script, struct gnuplot_drawing *drawing, struct error *error)
{
    FILE *messages = tmpfile();
    if (!messages) {
        error_set(error, ERROR_SYSTEM, "no temporary file for gnuplot's messages: %s", strerror(errno));
        return false;
    }
    bool done = run(script, messages, drawing, error);
    fclose(messages);
    return done;
}
