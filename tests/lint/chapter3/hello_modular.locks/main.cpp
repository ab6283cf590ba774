#include "shared.h"

namespace multi {

int Main::x = 0;

}  // namespace multi

int main() {
  multi::RunMe runnable;
  multi::MyThread thread(runnable);
  multi::Printer printer;
  thread.start();
  printer.print(multi::Main::x);
  thread.join();
}
