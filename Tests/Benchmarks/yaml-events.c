// The least that reading a YAML file with libyaml costs: its event loop with nothing done to the events.
// cc -O2 yaml-events.c -lyaml -o yaml-events; ./yaml-events FILE prints events, seconds and peak memory.
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <yaml.h>

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: yaml-events FILE\n"), 64;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser)) return 70;
    yaml_parser_set_input_file(&parser, file);
    long events = 0;
    for (int done = 0; !done; events++) {
        if (!yaml_parser_parse(&parser, &event)) return fprintf(stderr, "%s\n", parser.problem), 65;
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld events, %.3f s, peak %.1f MB\n", events,
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
           (double)usage.ru_maxrss / 1024);
    return 0;
}
