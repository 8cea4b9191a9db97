// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  GetObjectRequestSchema,
  GetObjectResponseSchema,
  QueryService,
} from "../../../src/gen/flotilla/query/v1/query_pb.ts";

/** Replaces `fetch`: answers object reads like a hub, and passes other requests on. */
export function createSampleFetch(next: typeof fetch): typeof fetch {
  return async (address, init) => {
    const url = address instanceof Request ? address.url : String(address);
    if (!url.endsWith(`/${QueryService.typeName}/GetObject`)) return next(address, init);
    const body = new Uint8Array(await new Response(init?.body ?? null).arrayBuffer());
    const { kind, namespace, name } = fromBinary(GetObjectRequestSchema, body);
    if (name === "nightly") {
      const message = "the agent of this cluster reads no objects for users; start it with --object-reads";
      return Response.json({ code: "permission_denied", message }, { status: 403 });
    }
    const object = JSON.stringify(sampleObject(kind, namespace, name));
    const bytes = toBinary(GetObjectResponseSchema, create(GetObjectResponseSchema, { object }));
    return new Response(bytes, { headers: { "content-type": "application/proto" } });
  };
}

function sampleObject(resource: string, namespace: string, name: string): object {
  const metadata = {
    name,
    ...(namespace === "" ? {} : { namespace }),
    uid: "6f6c2f0e-0c5d-4c11-9a53-0b8a3f0d2f11",
    creationTimestamp: "2026-03-02T09:12:44Z",
    labels: { app: "api", "app.kubernetes.io/part-of": "shop" },
    managedFields: [
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": { "f:containers": {} } } },
      { manager: "kubelet", operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
    ],
  };
  if (resource !== "pods") return { apiVersion: "v1", kind: resource === "nodes" ? "Node" : "Deployment", metadata };
  // The longest name has the largest object, about one megabyte.
  const env = Array.from({ length: name.startsWith("www") ? 20_000 : 2 }, (_, index) => ({
    name: `SETTING_${index}`,
    value: `value: ${index} # of many`,
  }));
  const command = ["sh", "-c", "set -e\nfor each in 1 2 3; do\n  ./migrate --step=$each\ndone\nexec ./api\n"];
  const waiting = { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container=api" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      containers: [{ name: "api", image: "registry.example/shop/api:1.25.3", command, env }],
      nodeName: "node-1",
    },
    status: { phase: "Running", podIP: "10.0.3.44", containerStatuses: [{ name: "api", state: { waiting } }] },
  };
}
