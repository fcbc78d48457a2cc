package prove

import (
	"fmt"
	"slices"
	"strings"
)

// Merge reads the records of all shards of a proof and returns the whole one.
func Merge(dirs []string) (Record, error) {
	var records []Record
	for _, dir := range dirs {
		r, err := load(dir)
		if err != nil {
			return Record{}, err
		}
		records = append(records, r)
	}
	return merge(records)
}

// merge puts shards together, which must be of one proof, and all there.
func merge(records []Record) (Record, error) {
	if len(records) == 0 {
		return Record{}, fmt.Errorf("%w: there are no records", ErrAnother)
	}
	whole := records[0]
	whole.Trials, whole.Results = nil, nil
	_, of, _ := strings.Cut(whole.Shard, "/")
	var have []string
	for _, r := range records {
		if what := r.differs(whole); what != "" {
			return Record{}, fmt.Errorf("%w: of shard %s, %s", ErrAnother, r.Shard, what)
		}
		if slices.Contains(have, r.Shard) || !strings.HasSuffix(r.Shard, "/"+of) {
			return Record{}, fmt.Errorf("%w: shard %s does not go with %s: give each shard once", ErrAnother, r.Shard, strings.Join(have, ", "))
		}
		have = append(have, r.Shard)
		whole.Trials = append(whole.Trials, r.Trials...)
		whole.Results = append(whole.Results, r.Results...)
		if r.Started.Before(whole.Started) {
			whole.Started = r.Started
		}
	}
	if fmt.Sprint(len(have)) != of {
		return Record{}, fmt.Errorf("%w: there are only the shards %s: give all %s", ErrAnother, strings.Join(have, ", "), of)
	}
	whole.Shard = Shard{}.String()
	whole.Verdict = whole.verdict()
	return whole, nil
}
