package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	extender "k8s.io/kube-scheduler/extender/v1"

	"berth/peer/recorded"
)

// An API server that lists the recorded cluster and sees no change.
func apiServer(t *testing.T) *httptest.Server {
	t.Setenv("KUBE_FEATURE_WatchListClient", "false") // lists come as lists
	var cluster struct{ Items []json.RawMessage }
	if err := json.Unmarshal(recorded.File(t, "cluster-before.json"), &cluster); err != nil {
		t.Fatal(err)
	}
	lists := map[string][]json.RawMessage{}
	for _, item := range cluster.Items {
		var kind struct{ Kind string }
		if err := json.Unmarshal(item, &kind); err != nil {
			t.Fatal(err)
		}
		lists[kind.Kind] = append(lists[kind.Kind], item)
	}
	kinds := map[string]string{"/api/v1/nodes": "Node", "/api/v1/pods": "Pod"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, ok := kinds[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		json.NewEncoder(w).Encode(map[string]any{
			"kind": kind + "List", "apiVersion": "v1", "metadata": map[string]string{"resourceVersion": "1"}, "items": lists[kind]})
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // the watches, which would be waited for
		server.Close()
	})
	return server
}

// A cluster that has listed the recorded one.
func listed(t *testing.T) *cluster {
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: apiServer(t).URL})
	c := newCluster()
	if err := c.sync(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	return c
}

// Every node that was asked about is answered once, no other is, and those with room pass.
func TestFilterAnswersARecordedRequest(t *testing.T) {
	body := recorded.File(t, "0006-filter-web.json")
	var result extender.ExtenderFilterResult
	recorded.Ask(t, handler(listed(t)), "/v1/filter", body, &result)

	seen := slices.Clone(*result.NodeNames)
	for _, refused := range []extender.FailedNodesMap{result.FailedNodes, result.FailedAndUnresolvableNodes} {
		for name := range refused {
			seen = append(seen, name)
		}
	}
	slices.Sort(seen)
	if asked := recorded.Names(t, body); !slices.Equal(seen, asked) {
		t.Errorf("asked about %v, answered %v", asked, seen)
	}
	if result.Nodes != nil || result.Error != "" {
		t.Errorf("names were asked for: %+v", result)
	}
}

// The recorded request for 6 cpu and a GPU, about more nodes: node-7 is full, node-1 has no GPU.
func TestFilterRefusesNodesWithoutRoom(t *testing.T) {
	var args extender.ExtenderArgs
	if err := json.Unmarshal(recorded.File(t, "0002-filter-gpt4o-inference-soft.json"), &args); err != nil {
		t.Fatal(err)
	}
	args.NodeNames = &[]string{"node-1", "node-3", "node-7", "node-11", "elsewhere"}
	result := listed(t).filter(&args)

	if want := []string{"node-3", "node-11"}; !slices.Equal(*result.NodeNames, want) {
		t.Errorf("passing: %v, want %v", *result.NodeNames, want)
	}
	if got := result.FailedNodes["node-7"]; got != "Insufficient nvidia.com/gpu" {
		t.Errorf("node-7: %q", got)
	}
	for _, name := range []string{"node-1", "elsewhere"} {
		if result.FailedAndUnresolvableNodes[name] == "" {
			t.Errorf("%s is not refused for good: %+v", name, result)
		}
	}
}

// Every node has a score within the scale.
func TestPrioritizeAnswersARecordedRequest(t *testing.T) {
	body := recorded.File(t, "0003-prioritize-gpt4o-inference-soft.json")
	var scores extender.HostPriorityList
	recorded.Ask(t, handler(listed(t)), "/v1/prioritize", body, &scores)

	var names []string
	for _, each := range scores {
		names = append(names, each.Host)
		if each.Score < 0 || each.Score > extender.MaxExtenderPriority {
			t.Errorf("%s: score %d", each.Host, each.Score)
		}
	}
	slices.Sort(names)
	if asked := recorded.Names(t, body); !slices.Equal(names, asked) {
		t.Errorf("asked about %v, scored %v", asked, names)
	}
}

func TestRefusesWhatIsNoQuestion(t *testing.T) {
	for _, body := range []string{"", "{", `{"Pod":null,"NodeNames":[]}`, `{"Pod":{}}`} {
		answer := recorded.Post(handler(newCluster()), "/v1/filter", []byte(body))
		if answer.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", body, answer.Code)
		}
	}
}
