#include "inject/record/thread_table.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace rafter {
namespace {

constinit thread_local ThreadRecord* t_record = nullptr;
ThreadTable* g_table = nullptr;  // for the key's destructor, which gets no context

}  // namespace

void ThreadTable::Start(OnThreadEnd on_thread_end) {
  on_thread_end_ = on_thread_end;
  g_table = this;
  started_ = pthread_key_create(&key_, &ThreadTable::Release) == 0;
}

ThreadRecord* ThreadTable::Mine() noexcept {
  if (t_record != nullptr) return t_record;
  const std::lock_guard<std::mutex> lock(mutex_);
  ThreadRecord* record = free_;
  if (record != nullptr) {
    free_ = record->next_free;
  } else {
    if (!started_ || made_ == kMaxThreads) return nullptr;
    void* memory = mmap(nullptr, sizeof(ThreadRecord), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    record = static_cast<ThreadRecord*>(memory);
    ++made_;
  }
  new (record) ThreadRecord;
  record->thread = static_cast<uint32_t>(syscall(SYS_gettid));
  pthread_setspecific(key_, record);
  t_record = record;
  return record;
}

void ThreadTable::Release(void* memory) {
  auto* record = static_cast<ThreadRecord*>(memory);
  ThreadTable* table = g_table;
  if (table->on_thread_end_ != nullptr) table->on_thread_end_(*record);
  t_record = nullptr;
  const std::lock_guard<std::mutex> lock(table->mutex_);
  record->next_free = table->free_;
  table->free_ = record;
}

void ThreadTable::Forget() {
  new (&mutex_) std::mutex;
  if (t_record != nullptr) {
    t_record->thread = static_cast<uint32_t>(syscall(SYS_gettid));
    t_record->depth = 0;
    t_record->deep = 0;
    std::fill(std::begin(t_record->deep_of), std::end(t_record->deep_of), 0u);
  }
}

}  // namespace rafter
