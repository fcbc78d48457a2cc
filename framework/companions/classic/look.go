/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package classic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stateFile is the driver's file of devices and their claims.
const stateFile = "devices.json"

type state struct {
	Claims map[string]device `json:"claims"`
}

type device struct{ Pool, Device string }

func (i *instance) state() (state, error) {
	s := state{Claims: map[string]device{}}
	data, err := os.ReadFile(i.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read the owners of devices: %w", err)
	}
	return s, nil
}

// Held returns a driver's devices in use, as "pool/device" by claim UID.
func (i *instance) Held() (map[string]string, error) {
	s, err := i.state()
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for uid, d := range s.Claims {
		held[uid] = d.Pool + "/" + d.Device
	}
	return held, nil
}

// Hold adds held devices, in the format of Held, to a stopped driver.
func (i *instance) Hold(more map[string]string) error {
	s, err := i.state()
	if err != nil {
		return err
	}
	for uid, name := range more {
		pool, dev, _ := strings.Cut(name, "/")
		s.Claims[uid] = device{pool, dev}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(i.path(stateFile), data, 0o600)
}

// Log messages of programs processing a pod or claim: kube-scheduler's scheduleOne, and the loop of this project's
// controllers.
const (
	schedulerWorks = "Attempting to schedule pod"
	driverWorks    = " item="
)

// Worked reports whether the program's log shows a processed pod or claim since its last start.
func (i *instance) Worked() (bool, error) {
	sign := driverWorks
	if i.what.Scheduler != "" {
		sign = schedulerWorks
	}
	file, err := os.Open(i.log())
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(i.began, io.SeekStart); err != nil {
		return false, err
	}
	log, err := io.ReadAll(file)
	return bytes.Contains(log, []byte(sign)), err
}

func (i *instance) log() string { return filepath.Join(i.logs, i.what.Log) }

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
