#include "tools/launch_identity.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "proto/launch_variables.h"

namespace rafter {
namespace {

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string HostName() {
  char name[256] = {};  // POSIX: 255 characters at most
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

}  // namespace

LaunchIdentity ReadLaunchIdentity(const Variables& variables) {
  LaunchIdentity identity;
  identity.host = HostName();
  identity.pid = std::to_string(getpid());
  std::vector<std::string> names = {ValueOf(variables, "RAFTER_RANK_VARIABLE")};
  names.insert(names.end(), std::begin(kRankVariables), std::end(kRankVariables));
  for (const std::string& name : names) {
    const std::string value = ValueOf(variables, name);
    if (!IsNumber(value)) continue;
    identity.rank = value;
    break;
  }
  for (const char* name : kJobVariables) {
    if (identity.job.empty()) identity.job = ValueOf(variables, name);
  }
  return identity;
}

}  // namespace rafter
