// Package difftest gives the same problems to this project's allocator and to
// upstream's, compares what they answer, reduces what they disagree on. Where
// upstream's search takes too long, own answers are proven (refusal, invalid). What is
// asked comes from packages problem and generate. Start at Run.
package difftest
