// Package difftest runs this project's allocator and upstream's on the same problems, compares
// their answers and minimizes differing problems. Where upstream's search takes too long, it proves
// own answers (refusal, invalid). Packages problem and generate provide the problems. Start at Run.
package difftest
