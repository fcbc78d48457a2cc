package upgrades

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// Base is what the upgrades of all proofs have in common.
type Base struct {
	Parts run.Parts
	// Options have the cluster's name, images, and where lines for people go. The path
	// and the report directory are those of each upgrade.
	Options run.Options

	run func(context.Context, run.Parts, run.Options) (run.Record, error) // nil means run.Run
}

// upgrade runs an upgrade, which ends in order when ctx does: it can be gone on with.
func (b Base) upgrade(ctx context.Context, o run.Options) (run.Record, error) {
	o.Stop = ctx.Done()
	if b.run != nil {
		return b.run(ctx, b.Parts, o)
	}
	return run.Run(context.WithoutCancel(ctx), b.Parts, o)
}

// remove removes the proof's cluster, also after ctx has ended; there may be none.
func (b Base) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
	defer cancel()
	return b.Parts.Clusters.Delete(ctx, b.Options.Cluster.Name)
}

// request asks for the path from one release to another, as 1.36 to 1.37.
func request(from, to string) (r path.Request, err error) {
	var errs []error
	r.From, err = release(from)
	errs = append(errs, err)
	r.To, err = release(to)
	errs = append(errs, err)
	r.Known, err = run.Known()
	return r, errors.Join(append(errs, err)...)
}

// release is the known version that 1.36 means.
func release(text string) (path.Version, error) {
	known, err := versions.Lookup(text)
	if err != nil {
		return path.Version{}, err
	}
	return path.ParseVersion(known.Kubernetes)
}

// begun reads the record of an upgrade that an earlier process began; there may be none.
func begun(dir string) (record run.Record, found bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, run.RecordFile)); errors.Is(err, fs.ErrNotExist) {
		return record, false, nil
	}
	record, err = run.LoadRecord(dir)
	return record, err == nil, err
}

// start makes room for an upgrade that goes on through several trials: where there is
// nothing to go on with, neither its files nor a cluster that a killed process left may
// be there. A cluster of that name that no proof has begun stays, and is in the way.
func (b Base) start(ctx context.Context, dir string, resumed bool) error {
	earlier, found, err := begun(dir)
	if resumed && (found || err != nil) {
		return err
	}
	// A record that cannot be read any more is of an earlier version of this proof.
	if resumed || err != nil || found && earlier.Cluster == b.Options.Cluster.Name {
		if err := b.remove(ctx); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove what an earlier upgrade left: %w", err)
	}
	return nil
}
