static int state;
static void change() { state++; }
void run_left() { change(); }
