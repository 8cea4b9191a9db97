// SPDX-License-Identifier: Apache-2.0
// Answers in protobuf; they are compared as the JSON that they decode to.
import type { Scenario, Step } from "../scenario.ts";
import { configMap, configMaps, deployment, deployments } from "./bodies.ts";
import { define, version, widgetPath, widgets } from "./widgets.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const meta = "v=v1;g=meta.k8s.io";

function get(name: string, path: string, accept = protobuf): Step {
  return { name, method: "GET", path, headers: { accept } };
}

const custom = widgetPath("protobuf-custom");

export const protobufAnswers: readonly Scenario[] = [
  {
    id: "protobuf-answers",
    steps: [
      { name: "create", method: "POST", path: configMaps, headers: { accept: protobuf }, body: configMap("a") },
      { name: "create a deployment", method: "POST", path: deployments, body: deployment("d") },
      get("object", `${configMaps}/a`),
      get("stream of one object", `${configMaps}/a`, `${protobuf};stream=watch`),
      get("list", configMaps),
      get("list of deployments", deployments),
      get("scale", `${deployments}/d/scale`),
      get("metadata", `${deployments}/d`, `${protobuf};as=PartialObjectMetadata;${meta}`),
      get("metadata list", deployments, `${protobuf};as=PartialObjectMetadataList;${meta}`),
      get("metadata for a list", deployments, `${protobuf};as=PartialObjectMetadata;${meta}`),
      get("table", deployments, `${protobuf};as=Table;${meta}`),
      get("table or JSON", `${configMaps}/a`, `${protobuf};as=Table;${meta},application/json`),
      get("nothing there", `${configMaps}/none`),
      get("another stream", `${configMaps}/a`, `${protobuf};stream=other`),
      get("version", "/version"),
      get("resources", "/apis/coordination.k8s.io/v1"),
      { ...get("watch", configMaps), query: { watch: "true" }, events: 1 },
      {
        ...get("watch of metadata", configMaps, `${protobuf};as=PartialObjectMetadata;${meta}`),
        query: { watch: "true" },
        events: 1,
      },
      {
        name: "review",
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        headers: { accept: protobuf },
        body: { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } },
      },
      { name: "delete", method: "DELETE", path: `${configMaps}/a`, headers: { accept: protobuf } },
    ],
  },
  {
    id: "protobuf-custom",
    steps: [
      ...define("protobuf-custom", widgets("protobuf-custom", [version("v1")])),
      get("list", custom),
      get("list or JSON", custom, `${protobuf},application/json`),
      get("metadata list", custom, `${protobuf};as=PartialObjectMetadataList;${meta}`),
      get("nothing there", `${custom}/none`),
      { ...get("watch", custom), query: { watch: "true" } },
      { name: "delete", method: "DELETE", path: `${custom}/none`, headers: { accept: protobuf } },
    ],
  },
];
