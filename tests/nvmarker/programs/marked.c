/* A program with LIKWID's GPU markers: what it does is named by its argument, what
 * the functions answer is printed. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fakes/likwid.h"
#include "tests/nvmarker/programs/markers.h"

static void work(double units) {
  if (fake_likwid_work != NULL) fake_likwid_work(0, units);
}

static void region(const char* tag, double units) {
  MARKER_START(tag);
  work(units);
  MARKER_STOP(tag);
}

static void set_up_afresh(void) {
  if (nvmon_switchActiveGroup != NULL) nvmon_switchActiveGroup(nvmon_getIdOfActiveGroup());
}

static void* on_another_thread(void* units) {
  printf("other %d", MARKER_START("elsewhere"));
  work(*(double*)units);
  printf(" %d\n", MARKER_STOP("elsewhere"));
  return NULL;
}

static void run_elsewhere(double units) {
  pthread_t thread;
  pthread_create(&thread, NULL, on_another_thread, &units);
  pthread_join(thread, NULL);
}

/* The sequence of shared/data/likwid/README.md. */
static void measured_sequence(void) {
  region("first", 100);
  region("second", 300);
  region("first", 100);
  work(700);
  region("third", 200);
  MARKER_START("outer");
  work(50);
  region("inner", 60);
  work(70);
  MARKER_STOP("outer");
  MARKER_START("multi");
  for (int launch = 0; launch < 4; ++launch) work(25);
  MARKER_STOP("multi");
  run_elsewhere(33);
  region("empty", 0);
  const double units[] = {400, 40, 140, 240};
  for (int call = 0; call < 4; ++call) {
    set_up_afresh();
    region("fresh", units[call]);
  }
}

static void crossing(void) {
  MARKER_START("left");
  work(10);
  MARKER_START("right");
  work(20);
  printf("again %d\n", MARKER_START("left"));
  work(40);
  MARKER_STOP("left");
  work(80);
  printf("not open %d %d\n", MARKER_STOP("left"), MARKER_STOP("never"));
  work(160);
  MARKER_STOP("right");
  work(1000);
  region("after", 320);
}

static void answers(void) {
  printf("register %d\n", MARKER_REGISTER("a"));
  printf("stop %d\n", MARKER_STOP("a"));
  printf("start %d\n", MARKER_START("a"));
  printf("start %d\n", MARKER_START("a"));
  printf("stop %d\n", MARKER_STOP("a"));
  printf("null %d %d %d\n", MARKER_START(NULL), MARKER_STOP(NULL), MARKER_REGISTER(NULL));
  printf("reset %d %d\n", MARKER_RESET("a"), MARKER_RESET("a"));
}

static void asks_back(void) {
  const struct timespec wait = {0, 20000000};
  for (int call = 0; call < 3; ++call) {
    MARKER_START("slept");
    nanosleep(&wait, NULL);
    MARKER_STOP("slept");
  }
  double value[2] = {-1, -1};
  double* values[1] = {value};
  double time[2] = {-1, -1};
  int count[2] = {-1, -1};
  int gpus = 2, events = 2;
  MARKER_GET("slept", &gpus, &events, values, time, count);
  printf("gpus %d events %d count %d %d time %d value %g\n", gpus, events, count[0], count[1],
         time[0] >= 0.06 && time[0] < 1, value[0]);
  gpus = 1;
  MARKER_GET("slept", &gpus, NULL, NULL, NULL, NULL);
  MARKER_GET("slept", NULL, NULL, NULL, NULL, NULL);
  MARKER_GET("unknown", &gpus, &events, values, time, count);
  printf("unknown %d\n", count[0]);
}

static void forks(void) {
  MARKER_START("around");
  work(10);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    region("of the child", 5);
    MARKER_CLOSE;
    exit(0);
  }
  waitpid(child, NULL, 0);
  work(10);
  MARKER_STOP("around");
}

static void names(void) {
  char* tag = malloc(100001);
  memset(tag, 'x', 100000);
  tag[100000] = 0;
  region(tag, 1);
  region("has blanks, 100% and\nlines", 2);
  region("\xC3\xA9t\xC3\xA9-1", 3);
  free(tag);
}

static void many_names(void) {
  char tag[32];
  for (int number = 0; number < 10100; ++number) {
    snprintf(tag, sizeof tag, "region %d", number);
    region(tag, 1);
  }
}

static void* storm(void* unused) {
  for (int call = 0; call < 2000; ++call) region("storm", 0);
  return unused;
}

static void many_threads(void) {
  pthread_t threads[8];
  for (int at = 0; at < 8; ++at) pthread_create(&threads[at], NULL, storm, NULL);
  for (int at = 0; at < 8; ++at) pthread_join(threads[at], NULL);
  double time = 0;
  int count = 0, gpus = 1, events = 0;
  MARKER_GET("storm", &gpus, &events, NULL, &time, &count);
  printf("count %d\n", count);
}

static void cpu_markers(void) {
  likwid_markerInit();
  likwid_markerThreadInit();
  printf("cpu %d", likwid_markerStartRegion("cpu"));
  printf(" %d\n", likwid_markerStopRegion("cpu"));
  const int processor = likwid_getProcessorId();
  printf("pin %d %d\n", processor >= 0, likwid_pinThread(processor));
  likwid_markerClose();
}

/* Two devices, of which the wrong one is current. */
static void make_device_0_current(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*retain)(void**, int) = (int (*)(void**, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*set)(void*) = (int (*)(void*))dlsym(driver, "cuCtxSetCurrent");
  void* context = NULL;
  if (init(0) != 0 || retain(&context, 0) != 0 || set(context) != 0) puts("no driver");
}

static void print_current_device(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int (*get)(int*) = (int (*)(int*))dlsym(driver, "cuCtxGetDevice");
  int device = -1;
  get(&device);
  printf("current %d\n", device);
}

static void from_fortran(void) {
  likwid_nvmarkerstartregion_("padded tag   ", 13);
  work(3);
  likwid_nvmarkerstopregion_("padded tag and more", 10);
}

/* The shim comes and goes by dlopen. */
static void unload(const char* shim) {
  void* library = dlopen(shim, RTLD_NOW);
  if (library == NULL) puts(dlerror());
  void (*init)(void) = (void (*)(void))dlsym(library, "nvmon_markerInit");
  int (*start)(const char*) = (int (*)(const char*))dlsym(library, "nvmon_markerStartRegion");
  int (*stop)(const char*) = (int (*)(const char*))dlsym(library, "nvmon_markerStopRegion");
  init();
  printf("start %d\n", start("loaded"));
  work(9);
  dlclose(library);
  printf("stop %d\n", stop("loaded"));
}

static void* exit_here(void* unused) {
  exit(0);
  return unused;
}

static void do_story(const char* story) {
  if (strcmp(story, "sequence") == 0) measured_sequence();
  if (strcmp(story, "crossing") == 0) crossing();
  if (strcmp(story, "answers") == 0) answers();
  if (strcmp(story, "asks_back") == 0) asks_back();
  if (strcmp(story, "forks") == 0) forks();
  if (strcmp(story, "names") == 0) names();
  if (strcmp(story, "many_names") == 0) many_names();
  if (strcmp(story, "many_threads") == 0) many_threads();
  if (strcmp(story, "cpu_markers") == 0) cpu_markers();
  if (strcmp(story, "from_fortran") == 0) from_fortran();
  if (strcmp(story, "unload") == 0) unload(getenv("SURVIVAL_SHIM"));
  if (strcmp(story, "elsewhere") == 0) run_elsewhere(8);
  if (strcmp(story, "one") == 0) region("one", 7);
  if (strcmp(story, "resets") == 0) {
    region("one", 7);
    MARKER_RESET("one");
    region("one", 5);
  }
  if (strcmp(story, "switches") == 0) {
    region("one", 7);
    MARKER_SWITCH;
    region("two", 5);
  }
  if (strcmp(story, "strays") == 0) {
    fake_likwid_stray(3);
    region("one", 7);
  }
  if (strcmp(story, "two_gpus") == 0) {
    MARKER_START("both");
    fake_likwid_work(0, 6);
    fake_likwid_work(1, 10);
    MARKER_STOP("both");
  }
}

static void end(const char* how) {
  if (strcmp(how, "close") == 0) MARKER_CLOSE;
  if (strcmp(how, "close_and_on") == 0) {
    MARKER_CLOSE;
    printf("late %d", MARKER_START("late"));
    printf(" %d\n", MARKER_STOP("late"));
    MARKER_CLOSE;
  }
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "exec") == 0) execl("/bin/true", "true", (char*)NULL);
  if (strcmp(how, "exit_elsewhere") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, exit_here, NULL);
    pthread_join(thread, NULL);
  }
  if (strcmp(how, "open") == 0) MARKER_START("left open");
#ifdef MARKER_WRITE_FILE
  if (strcmp(how, "write_file") == 0) {
    printf("file %d\n", MARKER_WRITE_FILE("asked.marker"));
    MARKER_CLOSE;
  }
#endif
}

/* marked STORY [ENDING [before]]: `before` has no INIT. */
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "wrong_device") == 0) make_device_0_current();
  if (argc < 4) MARKER_INIT;
  if (strcmp(argv[1], "wrong_device") == 0) {
    printf("measures %d\n", fake_likwid_first_device());
    print_current_device();
    region("one", 7);
  }
  do_story(argv[1]);
  end(argc < 3 ? "close" : argv[2]);
  return 0;
}
