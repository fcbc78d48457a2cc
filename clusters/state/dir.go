package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir is the folder that remembers the clusters of this user: $DRATEST_STATE, or
// clusters in dratest's folder of the user's cache.
func Dir() (string, error) {
	if dir := os.Getenv("DRATEST_STATE"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder to remember clusters in (set DRATEST_STATE to one): %w", err)
	}
	return filepath.Join(cache, "dratest", "clusters"), nil
}
