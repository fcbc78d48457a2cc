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

package main

import (
	"fmt"
	"strings"
	"time"
)

func (r row) line() string {
	theirs, ratio, places := "not asked", "", "not asked"
	if len(r.karpenters) > 0 {
		theirs, ratio, places = short(middle(r.karpenters)), ratios(r.karpenters, r.ours), r.karpenter.String()
	}
	if r.slow && len(r.karpenters) > 0 {
		theirs, ratio, places = "> "+theirs, "> "+strings.Fields(ratio)[0], "no answer"
	}
	return strings.Join([]string{r.name, short(middle(r.ours)), theirs, ratio, ratios(r.control, r.ours), r.own.String(), places}, "\t")
}

// String formats the numbers of pods and nodes.
func (o outcome) String() string {
	text := fmt.Sprintf("%d on %d", o.placed, o.nodes)
	if o.cost > 0 {
		text += fmt.Sprintf(", cost %d", o.cost)
	}
	return text
}

// ratios formats the median of the rounds' ratios, with the range in brackets.
func ratios(of, to []time.Duration) string {
	var all []float64
	for i := range of {
		all = append(all, float64(of[i])/float64(max(1, to[i])))
	}
	low, mid, high := spread(all)
	return fmt.Sprintf("%s [%s, %s]", digits(mid), digits(low), digits(high))
}

// digits formats a ratio with its significant digits.
func digits(ratio float64) string {
	switch {
	case ratio >= 100:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 10:
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

func middle(times []time.Duration) time.Duration {
	var all []float64
	for _, t := range times {
		all = append(all, float64(t))
	}
	_, mid, _ := spread(all)
	return time.Duration(mid)
}

func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
