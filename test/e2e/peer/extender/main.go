// Command extender is what berth is measured against: a scheduler extender as they are usually written in
// Go. Informers keep a map of nodes, net/http serves, encoding/json reads and writes. It decides what berth
// decides in the simplest case: which nodes have room, and which are packed best.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster to follow")
	listen := flag.String("listen", "127.0.0.1:8888", "where kube-scheduler asks")
	flag.Parse()
	if err := serve(context.Background(), *kubeconfig, *listen); err != nil {
		log.Fatal(err)
	}
}

// serve answers once the whole cluster is known.
func serve(ctx context.Context, kubeconfig, listen string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c := newCluster()
	if err := c.sync(ctx, client); err != nil {
		return err
	}
	return http.ListenAndServe(listen, handler(c))
}

// sync follows the cluster of the client until ctx ends; it returns once everything was seen.
func (c *cluster) sync(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	synced, err := c.follow(factory)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("the cluster could not be listed: %w", ctx.Err())
	}
	return nil
}
