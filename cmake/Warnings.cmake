# Warnings for all of our own code. Generated code includes protobuf headers as
# system headers and is compiled as it comes.
add_library(rafter_warnings INTERFACE)
target_compile_options(rafter_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<NOT:$<CONFIG:Release>>:-Werror>)
target_include_directories(rafter_warnings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
