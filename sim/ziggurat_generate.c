/*
 * Prints sim/ziggurat_tables.h: `sim/ziggurat_generate > sim/ziggurat_tables.h`. Run it again only if
 * the number of layers changes; the tables are kept in the sources so that every build has the same.
 *
 * Marsaglia and Tsang, "The ziggurat method for generating random variables" (2000): a decreasing
 * density f, f(0) = 1, is covered by LAYERS pieces of equal area v. Piece 0 is the strip under f(r)
 * with the tail beyond r; piece i >= 1 is the rectangle [0, x_i] × [f(x_i), f(x_{i+1})] with x_1 = r.
 * The right r makes the last top exactly 1; it is found by bisection.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { LAYERS = 256 };

struct density {
    const char *name;
    long double (*at)(long double x);
    long double (*inverse)(long double y);
    long double (*tail)(long double r); /* area beyond r */
    long double low, high;              /* r lies between */
};

static long double exponential(long double x)
{
    return expl(-x);
}

static long double exponential_inverse(long double y)
{
    return -logl(y);
}

static long double normal(long double x)
{
    return expl(-0.5L * x * x);
}

static long double normal_inverse(long double y)
{
    return sqrtl(-2 * logl(y));
}

static long double normal_tail(long double r)
{
    return sqrtl(acosl(-1) / 2) * erfcl(r / sqrtl(2));
}

/* Stacks the layers from r up and returns by how much the last top exceeds 1 (infinite when the
 * stack passes 1 early: r is too small). */
static long double stack(const struct density *density, long double r, long double x[LAYERS + 1])
{
    long double area = r * density->at(r) + density->tail(r);
    x[0] = area / density->at(r);
    x[1] = r;
    for (int i = 1; i < LAYERS - 1; i++) {
        long double top = density->at(x[i]) + area / x[i];
        if (top >= 1)
            return INFINITY;
        x[i + 1] = density->inverse(top);
    }
    x[LAYERS] = 0;
    return density->at(x[LAYERS - 1]) + area / x[LAYERS - 1] - 1;
}

static void print_table(const struct density *density)
{
    long double x[LAYERS + 1], low = density->low, high = density->high;
    for (int i = 0; i < 200; i++) {
        long double middle = (low + high) / 2;
        if (stack(density, middle, x) > 0)
            low = middle;
        else
            high = middle;
    }
    stack(density, high, x);
    printf("\nstatic const double %s_tail = %a;\n", density->name, (double)high);
    printf("static const struct ziggurat_layer %s_layers[ZIGGURAT_LAYERS + 1] = {\n", density->name);
    for (int i = 0; i <= LAYERS; i++) {
        long double inside = i < LAYERS ? floorl(0x1p53L * x[i + 1] / x[i]) : 0;
        long double height = i == 0 ? 0 : density->at(x[i]);
        printf("    {%a, UINT64_C(0x%014llx), %a},\n", (double)(x[i] * 0x1p-53L), (unsigned long long)inside,
               (double)height);
    }
    printf("};\n");
}

static const char opening[] =
    "/*\n"
    " * Made by sim/ziggurat_generate.c, which says what the layers are.\n"
    " */\n"
    "#ifndef SIM_ZIGGURAT_TABLES_H\n"
    "#define SIM_ZIGGURAT_TABLES_H\n"
    "\n"
    "#include <stdint.h>\n"
    "\n"
    "enum { ZIGGURAT_LAYERS = %d };\n"
    "\n"
    "struct ziggurat_layer {\n"
    "    double width;    /* x_i / 2^53 */\n"
    "    uint64_t inside; /* 53-bit fractions of x_i below this lie left of x_{i+1}, under the density */\n"
    "    double height;   /* density at x_i, the layer's floor; 0 for the strip at the bottom */\n"
    "};\n";

int main(void)
{
    static const struct density densities[] = {
        {"exponential", exponential, exponential_inverse, exponential, 5, 12},
        {"normal", normal, normal_inverse, normal_tail, 3, 5},
    };
    printf(opening, LAYERS);
    print_table(&densities[0]);
    print_table(&densities[1]);
    printf("\n#endif\n");
    return 0;
}
