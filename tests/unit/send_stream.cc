// send_stream FILE: sends the bytes of FILE to the collector that `rafter run`
// named, as the library in a program would.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  const char* const path = std::getenv("RAFTER_COLLECTOR");
  if (argc != 2 || path == nullptr) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  const int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(socket_file, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return 3;
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = write(socket_file, bytes.data() + sent, bytes.size() - sent);
    if (now <= 0) return 4;
    sent += static_cast<size_t>(now);
  }
  return 0;
}
