// Threads of Qt: QThread with run(), QThread::create, QtConcurrent::run and a pool.
#include "../include/qt.h"

int by_subclass;
int by_create;
int by_concurrent;
int by_pool;
int by_pool_function;
int by_pointer;
int by_other_pointer;
int not_started;
int guarded;
QMutex mutex;

class Worker : public QThread {
 protected:
  void run() override {
    by_subclass++;  //#subclass
    QMutexLocker locker(&mutex);
    guarded++;
  }
};

class Task : public QRunnable {
 public:
  // EXPECT-NEXT: data-race rd with wr #pool; data-race wr with wr #pool
  void run() override { by_pool++; }  //#pool
};

// Started through pointers to the base class.
class First : public QThread {
 protected:
  void run() override { by_pointer = 1; }  //#pointer
};

class Second : public QThread {
 protected:
  void run() override { by_other_pointer = 1; }  //#other
};

class Unused : public QThread {
 protected:
  void run() override { not_started = 1; }
};

void start(QThread* thread) { thread->start(); }

int main() {
  Worker worker;
  worker.start();
  // EXPECT-NEXT: data-race wr with rd #subclass; data-race wr with wr #subclass
  by_subclass = 1;
  {
    QMutexLocker locker(&mutex);
    guarded = 1;
  }
  worker.wait();
  by_subclass = 2;  // after the wait

  QThread* first = new First;
  first->start();
  by_pointer = 2;   // EXPECT: data-race wr with wr #pointer
  not_started = 2;  // nobody starts an Unused
  first->wait();
  by_pointer = 3;

  start(new Second);
  by_other_pointer = 2;  // EXPECT: data-race wr with wr #other

  QThread* created = QThread::create([] { by_create = 1; });  //#create
  created->start();
  by_create = 2;  // EXPECT: data-race wr with wr #create
  created->wait();

  QFuture<void> future = QtConcurrent::run([] { by_concurrent = 1; });  //#concurrent
  by_concurrent = 2;  // EXPECT: data-race wr with wr #concurrent
  future.waitForFinished();
  by_concurrent = 3;

  QThreadPool pool;
  for (int i = 0; i < 4; ++i) pool.start(new Task);
  pool.start([] { by_pool_function = 1; });  //#function
  by_pool_function = 2;                      // EXPECT: data-race wr with wr #function
  pool.waitForDone();
  by_pool = 0;
  by_pool_function = 3;
  return by_subclass;
}
