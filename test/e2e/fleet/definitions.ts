// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../../../src/kinds/kind.ts";
import type { KubeClient } from "../../kubernetes/kube-client.ts";
import { eventually } from "./eventually.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A definition that takes any object of the kind. */
function definitionOf({ resource: { group, resource }, kind, versions, isNamespaced }: Kind): object {
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: isNamespaced ? "Namespaced" : "Cluster",
      names: { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: versions[0], served: true, storage: true, schema }],
    },
  };
}

/** Makes the definition of a kind, where the cluster has none, and waits until its objects can be listed. */
export async function define(client: KubeClient, kind: Kind): Promise<void> {
  const { status, body } = await client.send("POST", definitions, { body: definitionOf(kind) });
  if (status !== 201 && status !== 409) throw new Error(`a definition was answered ${status}: ${JSON.stringify(body)}`);
  const { group, resource } = kind.resource;
  await eventually(async () => {
    const answers = await Promise.all(
      kind.versions.map((version) => client.send("GET", `/apis/${group}/${version}/${resource}`)),
    );
    if (!answers.some((answer) => answer.status === 200)) throw new Error(`${resource}.${group} is not served yet`);
  });
}

/** Removes the definition of a kind with all its objects. */
export async function undefine(client: KubeClient, { resource: { group, resource } }: Kind): Promise<void> {
  await client.ask("DELETE", `${definitions}/${resource}.${group}`);
}

/** Makes an object of a kind that has a definition, in its best version that is served. */
export async function createObject(client: KubeClient, kind: Kind, namespace: string, name: string): Promise<void> {
  const { group, resource } = kind.resource;
  for (const version of kind.versions) {
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
    const body = { apiVersion: `${group}/${version}`, kind: kind.kind, metadata: { name }, spec: specOf(kind) };
    const { status, body: answer } = await client.send("POST", path, { body });
    if (status === 201) return;
    if (status !== 404) throw new Error(`${path} was answered ${status}: ${JSON.stringify(answer)}`);
  }
  throw new Error(`${group}/${resource} is not served in a version we read`);
}

/** What the definitions of playground clusters ask for. */
function specOf({ kind }: Kind): object {
  if (kind === "DestinationRule") return { host: "late" };
  if (kind === "VirtualService" || kind === "ServiceEntry") return { hosts: ["late.example"] };
  return {};
}
