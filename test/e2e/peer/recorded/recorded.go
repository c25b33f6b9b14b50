// Package recorded has what tests of extenders ask: requests that a real kube-scheduler sent.
package recorded

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const folder = "../../../data/requests/v1.37.2/names"

// File returns a recorded file.
func File(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Names returns the nodes that a request asks about, sorted.
func Names(t *testing.T, body []byte) []string {
	t.Helper()
	var args struct{ NodeNames []string }
	if err := json.Unmarshal(body, &args); err != nil {
		t.Fatal(err)
	}
	slices.Sort(args.NodeNames)
	return args.NodeNames
}

// Post sends a body as kube-scheduler does.
func Post(extender http.Handler, path string, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	extender.ServeHTTP(answer, request)
	return answer
}

// Ask posts a body and decodes the answer, which must have no field that its type does not know.
func Ask(t *testing.T, extender http.Handler, path string, body []byte, result any) {
	t.Helper()
	answer := Post(extender, path, body)
	if answer.Code != http.StatusOK {
		t.Fatalf("%s: %d: %s", path, answer.Code, answer.Body)
	}
	decoder := json.NewDecoder(answer.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(result); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
