// Section 4.6.1: a chat client. Two anomalies: a message is sent after a look whether
// there is a connection, and the counter is reset after the connection was closed.
// Socket comes from elsewhere: there is only its declaration.
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

class Socket {
 public:
  Socket();
  void close();
  void write(const std::string& message);
};

class Counter {
 public:
  void reset() {
    __transaction_atomic {
      n_ = 0;
    }
  }
  void increment() {
    __transaction_atomic {
      n_ = n_ + 1;
    }
  }

 private:
  int n_ = 0;
};

class Connection {
 public:
  void connect() { socket_ = new Socket(); }

  void disconnect() {
    __transaction_relaxed {
      socket_->close();
      socket_ = nullptr;
    }
    counter_.reset();  // EXPECT: WrW
  }

  bool is_connected() {
    __transaction_atomic {
      return socket_ != nullptr;
    }
  }

  void send(const std::string& message) {
    __transaction_relaxed {
      socket_->write(message);
      counter_.increment();
    }
  }

 private:
  Counter counter_;
  Socket* socket_ = nullptr;
};

class Gui {
 public:
  explicit Gui(Connection& connection) : connection_(connection) {}

  void start() {
    thread_ = std::thread(&Gui::run, this);
  }
  void join() { thread_.join(); }

 private:
  bool try_send_message(const std::string& message) {
    if (connection_.is_connected()) {
      connection_.send(message);  // EXPECT: RwW
      return true;
    }
    return false;
  }

  void run() {
    int command;
    do {
      command = std::rand() % 10;
      if (command == 0) {
        connection_.disconnect();
      } else {
        try_send_message(std::string(static_cast<size_t>(command), 'x'));
      }
    } while (command != 0);
  }

  Connection& connection_;
  std::thread thread_;
};

int main() {
  Connection connection;
  connection.connect();
  std::vector<Gui*> clients;
  for (int i = 0; i < 10; i++) {
    clients.push_back(new Gui(connection));
    clients.back()->start();
  }
  for (Gui* client : clients) client->join();
}
