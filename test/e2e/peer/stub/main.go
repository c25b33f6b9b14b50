// Command stub is a scheduler extender that decides nothing: it lets every node pass and prefers the first.
// No extender with two calls leaves kube-scheduler more time, so the pods it lets through are the limit.
package main

import (
	"bytes"
	"flag"
	"io"
	"log"
	"net/http"
	"strconv"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8888", "where kube-scheduler asks")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*listen, handler()))
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/filter", answering(filter))
	mux.HandleFunc("POST /v1/prioritize", answering(prioritize))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// answering hands the list of names to reply, as the bytes between its brackets. Nothing is parsed.
func answering(reply func(names []byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, max(r.ContentLength, 0))
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return // kube-scheduler has gone
		}
		names, ok := namesIn(body)
		if !ok {
			http.Error(w, "NodeNames are needed", http.StatusBadRequest)
			return
		}
		answer := reply(names)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer))) // or kube-scheduler could not keep the connection
		w.Write(answer)
	}
}

// namesIn finds the names at the end of the body, where kube-scheduler writes them.
func namesIn(body []byte) ([]byte, bool) {
	const key = `"NodeNames":[`
	at := bytes.LastIndex(body, []byte(key))
	if at < 0 {
		return nil, false
	}
	names, _, ok := bytes.Cut(body[at+len(key):], []byte("]"))
	return names, ok
}

func filter(names []byte) []byte {
	return join(`{"NodeNames":[`, names, `]}`)
}

func prioritize(names []byte) []byte {
	first, _, _ := bytes.Cut(names, []byte(","))
	return join(`[{"Host":`, first, `,"Score":10}]`)
}

func join(before string, middle []byte, after string) []byte {
	return append(append(append(make([]byte, 0, len(before)+len(middle)+len(after)), before...), middle...), after...)
}
