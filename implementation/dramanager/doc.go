// Package dramanager has the objects of DRA in memory: a SharedDRAManager
// (KEP-4381, section "Cluster Autoscaler") for programs that link kube-scheduler's
// framework and simulate what it would do. Changes can be undone (Fork, Commit,
// Revert). Start at Manager.
//
// Such a program runs PreFilter, Filter and Reserve of the plugin, then Bind, which
// stands for PreBind and the API server. This project's plugin takes its knowledge of
// claims from the manager (scheduler.Simulation); others use the interface alone.
package dramanager
