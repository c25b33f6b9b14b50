package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// handler answers kube-scheduler from what the cluster says.
func handler(c *cluster) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/filter", answering(c.filter))
	mux.HandleFunc("POST /v1/prioritize", answering(c.prioritize))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

func answering[T any](decide func(*extender.ExtenderArgs) T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var args extender.ExtenderArgs
		err := json.NewDecoder(r.Body).Decode(&args)
		if err == nil && (args.Pod == nil || args.NodeNames == nil) {
			err = errors.New("Pod and NodeNames are needed")
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(decide(&args)); err != nil {
			log.Printf("answering %s: %v", r.URL.Path, err)
		}
	}
}

// filter keeps the nodes that have room for the pod.
func (c *cluster) filter(args *extender.ExtenderArgs) *extender.ExtenderFilterResult {
	c.mu.RLock()
	defer c.mu.RUnlock()
	request := requestOf(args.Pod)
	passing := make([]string, 0, len(*args.NodeNames))
	failed, hopeless := extender.FailedNodesMap{}, extender.FailedNodesMap{}
	for _, name := range *args.NodeNames {
		n := c.nodes[name]
		if n == nil || !n.known {
			hopeless[name] = "node(s) unknown to the extender"
			continue
		}
		if missing := lacking(n.allocatable, request); missing != "" {
			hopeless[name] = missing
		} else if missing := lacking(n.free(), request); missing != "" {
			failed[name] = missing
		} else {
			passing = append(passing, name)
		}
	}
	return &extender.ExtenderFilterResult{
		NodeNames: &passing, FailedNodes: failed, FailedAndUnresolvableNodes: hopeless}
}

// lacking names the resource of which there is not enough; "" when everything suffices.
func lacking(have, want amounts) string {
	switch {
	case want.gpu > have.gpu:
		return "Insufficient nvidia.com/gpu"
	case want.memory > have.memory:
		return "Insufficient memory"
	case want.cpu > have.cpu:
		return "Insufficient cpu"
	case want.pods > have.pods:
		return "Too many pods"
	}
	return ""
}

// prioritize scores every node: the fuller its GPUs would be, the better; nodes without the label are
// the last resort.
func (c *cluster) prioritize(args *extender.ExtenderArgs) extender.HostPriorityList {
	c.mu.RLock()
	defer c.mu.RUnlock()
	request := requestOf(args.Pod)
	scores := make(extender.HostPriorityList, 0, len(*args.NodeNames))
	for _, name := range *args.NodeNames {
		scores = append(scores, extender.HostPriority{Host: name, Score: score(c.nodes[name], request)})
	}
	return scores
}

func score(n *node, request amounts) int64 {
	if n == nil || n.allocatable.gpu == 0 {
		return 0
	}
	used := n.requested.gpu + request.gpu
	packed := min(extender.MaxExtenderPriority*used/n.allocatable.gpu, extender.MaxExtenderPriority)
	if !n.labelled {
		return packed / 2
	}
	return packed
}
