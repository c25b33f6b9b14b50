package main

import (
	"net/http"
	"slices"
	"testing"

	extender "k8s.io/kube-scheduler/extender/v1"

	"berth/peer/recorded"
)

func TestFilterLetsEveryNodePass(t *testing.T) {
	body := recorded.File(t, "0006-filter-web.json")
	var result extender.ExtenderFilterResult
	recorded.Ask(t, handler(), "/v1/filter", body, &result)

	slices.Sort(*result.NodeNames)
	if asked := recorded.Names(t, body); !slices.Equal(*result.NodeNames, asked) {
		t.Errorf("asked about %v, passing: %v", asked, *result.NodeNames)
	}
}

func TestPrioritizePrefersTheFirst(t *testing.T) {
	var scores extender.HostPriorityList
	recorded.Ask(t, handler(), "/v1/prioritize", recorded.File(t, "0007-prioritize-web.json"), &scores)

	if want := (extender.HostPriorityList{{Host: "node-2", Score: 10}}); !slices.Equal(scores, want) {
		t.Errorf("scores: %v, want %v", scores, want)
	}
}

func TestRefusesWhatNamesNoNodes(t *testing.T) {
	for _, body := range []string{"", `{"Pod":{},"Nodes":null,"NodeNames":null}`, `{"NodeNames":["a"`} {
		if answer := recorded.Post(handler(), "/v1/filter", []byte(body)); answer.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", body, answer.Code)
		}
	}
}
