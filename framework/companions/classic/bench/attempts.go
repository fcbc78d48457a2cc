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

package bench

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// attempted is the scheduler's log message at the start of an attempt for a pod.
const attempted = `"Attempting to schedule pod" pod="` + namespace + "/"

// attemptsIn are the attempts to schedule each pod, by the scheduler's log.
func attemptsIn(log io.Reader) (map[string]int, error) {
	attempts := map[string]int{}
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadString('\n')
		if _, rest, found := strings.Cut(line, attempted); found {
			name, _, _ := strings.Cut(rest, `"`)
			attempts[name]++
		}
		if err == io.EOF {
			return attempts, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// attempts are those to schedule each of the pods so far.
func (b *bench) attempts(pods []string) ([]int, error) {
	log, err := os.Open(b.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	all, err := attemptsIn(log)
	if err != nil {
		return nil, fmt.Errorf("read the scheduler's log: %w", err)
	}
	var counts []int
	for _, pod := range pods {
		if all[pod] == 0 {
			return nil, fmt.Errorf("the scheduler's log has no attempt to schedule pod %s, which is bound", pod)
		}
		counts = append(counts, all[pod])
	}
	return counts, nil
}
