#include "tools/running_collector.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/message.h"

namespace rafter {

Status AskRunningCollector(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int error = ENAMETOOLONG;
  if (path.size() < sizeof(address.sun_path)) {
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0
                ? 0
                : errno;
    close(descriptor);
  }
  if (error == 0 || error == EAGAIN) return Status::Ok();
  return Status::Failed(path + ": no collector answers there (" + ErrnoText(error) +
                        "); the program writes spool files instead, put them together with "
                        "\"rafter ingest\"");
}

}  // namespace rafter
