package main

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const gpu = v1.ResourceName("nvidia.com/gpu")

// amounts is what a pod asks for, or what a node has: cpu in millicores, memory in bytes.
type amounts struct {
	cpu, memory, gpu, pods int64
}

func (a amounts) plus(b amounts) amounts {
	return amounts{a.cpu + b.cpu, a.memory + b.memory, a.gpu + b.gpu, a.pods + b.pods}
}

func (a amounts) minus(b amounts) amounts {
	return amounts{a.cpu - b.cpu, a.memory - b.memory, a.gpu - b.gpu, a.pods - b.pods}
}

func amountsOf(list v1.ResourceList) amounts {
	gpus := list[gpu]
	return amounts{list.Cpu().MilliValue(), list.Memory().Value(), gpus.Value(), list.Pods().Value()}
}

func requestOf(pod *v1.Pod) amounts {
	sum := amounts{pods: 1}
	for i := range pod.Spec.Containers {
		sum = sum.plus(amountsOf(pod.Spec.Containers[i].Resources.Requests))
	}
	return sum
}

type node struct {
	known       bool // else there are only pods that say they run on it
	labelled    bool
	allocatable amounts
	requested   amounts
}

func (n *node) free() amounts { return n.allocatable.minus(n.requested) }

// placement is where a pod is counted, to take it off again.
type placement struct {
	nodeName string
	request  amounts
}

// cluster is a map of nodes which informers keep up to date.
type cluster struct {
	mu     sync.RWMutex
	nodes  map[string]*node
	placed map[string]placement // by the pod's uid
}

func newCluster() *cluster {
	return &cluster{nodes: map[string]*node{}, placed: map[string]placement{}}
}

// follow registers the handlers; the cluster is complete once the returned functions say so.
func (c *cluster) follow(factory informers.SharedInformerFactory) ([]cache.InformerSynced, error) {
	nodes, err := factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.setNode(obj.(*v1.Node)) },
		UpdateFunc: func(_, obj any) { c.setNode(obj.(*v1.Node)) },
		DeleteFunc: func(obj any) {
			if gone, ok := deleted(obj).(*v1.Node); ok {
				c.removeNode(gone)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	pods, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.setPod(obj.(*v1.Pod)) },
		UpdateFunc: func(_, obj any) { c.setPod(obj.(*v1.Pod)) },
		DeleteFunc: func(obj any) {
			if gone, ok := deleted(obj).(*v1.Pod); ok {
				c.removePod(gone)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return []cache.InformerSynced{nodes.HasSynced, pods.HasSynced}, nil
}

// deleted returns the object of a deletion, also of one that was missed while the watch was broken.
func deleted(obj any) any {
	if unseen, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return unseen.Obj
	}
	return obj
}

func (c *cluster) setNode(n *v1.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.node(n.Name)
	mine.known = true
	mine.labelled = n.Labels["gpu"] == "true" || n.Labels["nvidia.com/gpu.present"] == "true"
	mine.allocatable = amountsOf(n.Status.Allocatable)
}

func (c *cluster) removeNode(n *v1.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if mine := c.nodes[n.Name]; mine != nil {
		mine.known = false
		c.forgetIfUnused(n.Name)
	}
}

func (c *cluster) setPod(pod *v1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeOff(string(pod.UID))
	if pod.Spec.NodeName == "" || pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
		return
	}
	request := requestOf(pod)
	mine := c.node(pod.Spec.NodeName)
	mine.requested = mine.requested.plus(request)
	c.placed[string(pod.UID)] = placement{pod.Spec.NodeName, request}
}

func (c *cluster) removePod(pod *v1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeOff(string(pod.UID))
}

func (c *cluster) takeOff(uid string) {
	was, ok := c.placed[uid]
	if !ok {
		return
	}
	delete(c.placed, uid)
	mine := c.nodes[was.nodeName]
	mine.requested = mine.requested.minus(was.request)
	c.forgetIfUnused(was.nodeName)
}

// node returns the node of that name, which it makes if need be.
func (c *cluster) node(name string) *node {
	mine := c.nodes[name]
	if mine == nil {
		mine = &node{}
		c.nodes[name] = mine
	}
	return mine
}

func (c *cluster) forgetIfUnused(name string) {
	if mine := c.nodes[name]; !mine.known && mine.requested.pods == 0 {
		delete(c.nodes, name)
	}
}
