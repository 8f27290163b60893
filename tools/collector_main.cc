// `rafter-collector`: `rafter collect` under a name of its own, for batch
// systems and service managers.
#include <exception>
#include <string>
#include <vector>

#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/verbs.h"

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  try {
    return rafter::RunCollector(words);
  } catch (const std::exception& error) {
    rafter::Say(std::string("it stopped: ") + error.what() + "; please report this");
    return rafter::kIncomplete;
  }
}
