// pthread mutexes and rwlocks, and pthread_create with an argument.
#include <pthread.h>

struct Account {
  pthread_mutex_t mutex;
  pthread_rwlock_t rwlock;
  int balance;
  int rate;
};

static int get_rate(Account* account) {
  pthread_rwlock_rdlock(&account->rwlock);
  const int rate = account->rate;
  pthread_rwlock_unlock(&account->rwlock);
  return rate;
}

static void set_rate(Account* account, int rate) {
  pthread_rwlock_wrlock(&account->rwlock);
  account->rate = rate;
  pthread_rwlock_unlock(&account->rwlock);
}

static void* run(void* argument) {
  Account* account = static_cast<Account*>(argument);
  pthread_mutex_lock(&account->mutex);
  account->balance++;
  pthread_mutex_unlock(&account->mutex);
  const int rate = get_rate(account);
  set_rate(account, rate + 1);  // EXPECT: RwW
  return nullptr;
}

int main() {
  Account account = {};
  pthread_mutex_init(&account.mutex, nullptr);
  pthread_rwlock_init(&account.rwlock, nullptr);
  pthread_t a, b;
  pthread_create(&a, nullptr, run, &account);
  pthread_create(&b, nullptr, run, &account);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
  return account.balance;
}
