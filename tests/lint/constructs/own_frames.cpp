// What a thread's functions have on their stacks or have made themselves is their own, also
// where a pointer to it has been stored; what another thread gets at by that pointer is not.
#include <mutex>
#include <thread>
#include <vector>

struct Request {
  int size = 0;
  int answer = 0;
};

std::mutex mutex;
std::vector<Request*> queue;

void fill(Request* request) { request->size = 7; }

Request* make() {
  Request* request = new Request;
  request->size = 1;
  return request;
}

void ask() {
  Request request;
  fill(&request);  // nobody else fills this one
  Request* another = make();
  {
    std::lock_guard lock(mutex);
    queue.push_back(&request);
    queue.push_back(another);
  }
  request.answer = 3;   // EXPECT: data-race wr with wr #serve
  another->answer = 4;  // EXPECT: data-race wr with wr #serve
}

void serve() {
  Request* first = nullptr;
  {
    std::lock_guard lock(mutex);
    first = queue.front();
  }
  first->answer = 5;  //#serve
}

int main() {
  std::thread one(ask);
  std::thread two(ask);
  std::thread server(serve);
  one.join();
  two.join();
  server.join();
}
