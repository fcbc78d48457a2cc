package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

// cdiStore is the CDI files of one driver: one per prepared claim. They are
// also the only memory of what is prepared, so that it survives a restart.
type cdiStore struct {
	driver string
	dir    string
}

// write makes a claim's devices known to the container runtime.
func (s cdiStore) write(spec *cdispec.Spec) error {
	// A cache is the only writer that the CDI package has; it looks at the
	// directory once and then is thrown away.
	cache, err := cdi.NewCache(cdi.WithAutoRefresh(false), cdi.WithSpecDirs(s.dir))
	if err != nil {
		return fmt.Errorf("open CDI directory %s: %w", s.dir, err)
	}
	if err := cache.WriteSpec(spec, inject.FileName(s.driver, inject.SpecUID(spec))); err != nil {
		return fmt.Errorf("write CDI spec: %w", err)
	}
	return nil
}

// remove forgets a claim; one that is not prepared is no error.
func (s cdiStore) remove(uid types.UID) error {
	err := os.Remove(filepath.Join(s.dir, inject.FileName(s.driver, uid)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove CDI spec: %w", err)
	}
	return nil
}

// prepared lists the prepared claims in order of their UIDs.
func (s cdiStore) prepared() ([]types.UID, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list prepared claims: %w", err)
	}
	var uids []types.UID
	for _, entry := range entries {
		if uid, ok := inject.UID(s.driver, entry.Name()); ok {
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// specs reads the specs of all prepared claims.
func (s cdiStore) specs() ([]*cdispec.Spec, error) {
	uids, err := s.prepared()
	if err != nil {
		return nil, err
	}
	var specs []*cdispec.Spec
	for _, uid := range uids {
		spec, err := cdi.ReadSpec(filepath.Join(s.dir, inject.FileName(s.driver, uid)), 0)
		if err != nil {
			return nil, fmt.Errorf("read CDI spec of claim %s: %w", uid, err)
		}
		specs = append(specs, spec.Spec)
	}
	return specs, nil
}

// removeAll forgets all claims.
func (s cdiStore) removeAll() error {
	uids, err := s.prepared()
	errs := []error{err}
	for _, uid := range uids {
		errs = append(errs, s.remove(uid))
	}
	return errors.Join(errs...)
}
