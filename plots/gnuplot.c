/*
 * The script is gnuplot's standard input and its messages go to a file: there is no pipe that could fill up,
 * and no text passes through a shell.
 */
#include "plots/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

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

bool gnuplot_check_whole(const char *path, enum gnuplot_format format, const char *output,
                         struct error *error)
{
    static const struct ending endings[] = {
        [GNUPLOT_SVG] = {"</svg>", 6},
        [GNUPLOT_PNG] = {"IEND\xae\x42\x60\x82", 8},
        [GNUPLOT_PDF] = {"%%EOF", 5},
    };
    FILE *file = fopen(path, "r");
    long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool whole = length > 0 && ends_with(file, length, &endings[format]);
    if (length < 0)
        error_set(error, ERROR_SYSTEM, "%s: the figure can not be read: %s", output, strerror(errno));
    else if (length == 0)
        error_set(error, ERROR_SYSTEM, "%s: gnuplot drew nothing", output);
    else if (!whole)
        error_set(error, ERROR_SYSTEM, "%s: gnuplot left a figure without its end; is the disk full?",
                  output);
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

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* Fails with what gnuplot wrote, without blank lines at either end. */
static void report(FILE *messages, int status, enum error_kind blame, struct error *error)
{
    char text[1500];
    rewind(messages);
    size_t length = fread(text, 1, sizeof text - 1, messages);
    while (length > 0 && strchr(" \n", text[length - 1]))
        length--;
    text[length] = '\0';
    const char *said = text + strspn(text, "\n");
    if (status >= 0 && WIFSIGNALED(status))
        error_set(error, ERROR_SYSTEM, "gnuplot was ended by signal %d", WTERMSIG(status));
    else
        error_set(error, blame, "gnuplot failed%s%s", *said ? ":\n" : "", said);
}

static bool run(FILE *script, FILE *messages, enum error_kind blame, struct error *error)
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
    int status = wait_for(child);
    if (status == 0)
        return true;
    report(messages, status, blame, error);
    return false;
}

bool gnuplot_run(FILE *script, enum error_kind blame, struct error *error)
{
    FILE *messages = tmpfile();
    if (!messages) {
        error_set(error, ERROR_SYSTEM, "no temporary file for gnuplot's messages: %s", strerror(errno));
        return false;
    }
    bool done = run(script, messages, blame, error);
    fclose(messages);
    return done;
}
