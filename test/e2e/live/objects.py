"""The objects that scenarios write."""

GPU = "nvidia.com/gpu"
LABEL = "e2e.berth"  # on everything that has no namespace, to find it again


def _cluster_wide(kind, api_version, name, **fields):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "labels": {LABEL: "true"}}, **fields}


def node(name, gpus=0, cpu=32, memory="256Gi", labelled=True, zone=None, allocatable=None):
    """A node as a kubelet would have reported it. `labelled`: with the GPU label, if it has GPUs.
    `allocatable` replaces what would be there ({}: nothing yet)."""
    thing = _cluster_wide("Node", "v1", name, spec={})
    labels = thing["metadata"]["labels"]
    labels["kubernetes.io/hostname"] = name
    if zone:
        labels["topology.kubernetes.io/zone"] = zone
    if gpus and labelled:
        labels["gpu"] = "true"
    if allocatable is None:
        allocatable = {"cpu": str(cpu), "memory": memory, "pods": "110"}
        if gpus:
            allocatable[GPU] = str(gpus)
    thing["status"] = {"capacity": allocatable, "allocatable": allocatable,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}
    return thing


def pod(name, gpus=0, cpu="1", memory="1Gi", mode=None, on=None, owner=None, labels=None, **spec):
    """A pod. `mode`: berth's affinity mode for it; `on`: the node it already runs on."""
    requests = {"cpu": cpu, "memory": memory}
    if gpus:
        requests[GPU] = str(gpus)
    metadata = {"name": name, "labels": {"app": name, **(labels or {})}}
    if mode:
        metadata["annotations"] = {"berth/affinity": mode}
    if owner:
        metadata["ownerReferences"] = [owner]
    resources = {"requests": requests, "limits": {GPU: str(gpus)} if gpus else {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
        "terminationGracePeriodSeconds": 0,  # no kubelet would end it
        "containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources}],
        **({"nodeName": on} if on else {}), **spec}}


def priority_class(name, value):
    return _cluster_wide("PriorityClass", "scheduling.k8s.io/v1", name, value=value)


def storage_class(name, provisioner):
    """Volumes are made where the pod is to run: the scheduler chooses first."""
    return _cluster_wide("StorageClass", "storage.k8s.io/v1", name,
                         provisioner=provisioner, volumeBindingMode="WaitForFirstConsumer")


def claim(name, storage_class_name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class_name,
        "resources": {"requests": {"storage": "1Gi"}}}}


def volume(name, node_name, storage_class_name, of_claim):
    """A volume on one node, bound to a claim."""
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node_name]}
    reference = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": of_claim["metadata"]["namespace"],
                 "name": of_claim["metadata"]["name"], "uid": of_claim["metadata"]["uid"]}
    return _cluster_wide("PersistentVolume", "v1", name, spec={
        "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "storageClassName": storage_class_name,
        "local": {"path": "/data"}, "claimRef": reference,
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}}})


def replica_set(name, replicas, template):
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": template["spec"]}}}


def owned_by(thing):
    return {"apiVersion": thing["apiVersion"], "kind": thing["kind"], "name": thing["metadata"]["name"],
            "uid": thing["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}


def device_class(name, driver, extended_resource):
    return _cluster_wide("DeviceClass", "resource.k8s.io/v1", name, spec={
        "extendedResourceName": extended_resource,
        "selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}]})


def resource_slice(node_name, driver, devices):
    return _cluster_wide("ResourceSlice", "resource.k8s.io/v1", f"{node_name}-gpus", spec={
        "driver": driver, "nodeName": node_name, "pool": {"name": node_name, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{index}"} for index in range(devices)]})


def condition_of(made_pod):
    """The pod's condition PodScheduled, or {}: kube-scheduler has not tried it yet."""
    conditions = made_pod["status"].get("conditions", [])
    return next((condition for condition in conditions if condition["type"] == "PodScheduled"), {})
