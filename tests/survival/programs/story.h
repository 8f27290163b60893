// Story is one short act of a target program, told with and without us. What
// it prints must not depend on whether we are there.
//
//   Threads   stories are registered before main.
//   Blocking  as the story says.
//   Memory    plain pointers.
//   Lifetime  as long as the program.
#pragma once

#include <string>
#include <vector>

namespace rafter::survival {

struct Story {
  const char* name;
  int (*tell)();  // its answer is the program's exit status
};

std::vector<Story>& Stories();

struct StoryTeller {
  StoryTeller(const char* name, int (*tell)()) { Stories().push_back({name, tell}); }
};

#define SURVIVAL_STORY(name)                                         \
  int name();                                                        \
  const ::rafter::survival::StoryTeller name##_teller(#name, &name); \
  int name()

// Some of what the program is for: nothing, NVTX regions, or CUDA launches in
// regions, by the program that the story is linked into.
void Work();

// Copies /proc/self/maps to the file named by SURVIVAL_MAPS, once for each
// process that calls it: the proof that we were there, or were not.
void WriteMaps();

// Work, then the proof.
void Prologue();

// Writes a number to the file named by SURVIVAL_<NAME>, for what may differ.
void WriteAside(const char* variable, const std::string& text);

// The calling process's path, for running it again with another story.
std::string OwnPath();

}  // namespace rafter::survival
