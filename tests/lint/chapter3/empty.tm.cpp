// Section 3.6.1: the smallest program. JChord failed on it; there is nothing to report.
int main() {}
