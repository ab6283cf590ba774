// The classes of Qt's threads, declared as Qt declares them, so that these tests need no
// Qt. As a system header: lint sees declarations only, as it does of the real one.
#pragma once
#pragma GCC system_header

class QThread {
 public:
  virtual ~QThread();
  void start();
  bool wait();
  template <typename Function, typename... Arguments>
  static QThread* create(Function&&, Arguments&&...) {
    return nullptr;
  }

 protected:
  virtual void run();
};

class QRunnable {
 public:
  virtual ~QRunnable();
  virtual void run() = 0;
};

class QThreadPool {
 public:
  static QThreadPool* globalInstance();
  void start(QRunnable* runnable, int priority = 0);
  template <typename Function>
  void start(Function, int = 0) {}
  bool waitForDone(int milliseconds = -1);
};

template <typename T>
class QFuture {
 public:
  void waitForFinished();
  T result() const;
};

namespace QtConcurrent {
template <typename Function, typename... Arguments>
QFuture<void> run(Function&&, Arguments&&...) {
  return {};
}
}  // namespace QtConcurrent

class QMutex {
 public:
  void lock();
  bool tryLock(int timeout = 0);
  void unlock();
};

class QMutexLocker {
 public:
  explicit QMutexLocker(QMutex* mutex);
  ~QMutexLocker();
  void unlock();
  void relock();
};
