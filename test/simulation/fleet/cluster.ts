// SPDX-License-Identifier: Apache-2.0
// One cluster of the world: a simulated API server, what was ever written to it, and somebody who writes.
import type { ClusterPort } from "../../../src/agent/agent.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { configMapKind } from "../../../src/kinds/config-map-kind.ts";
import { rbacKinds } from "../../../src/kinds/core-kinds.ts";
import { gatewayKind } from "../../../src/kinds/gateway-api/gateway-kind.ts";
import { createGenericKind } from "../../../src/kinds/generic-kind.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { podKind } from "../../../src/kinds/pod-kind.ts";
import { serviceKind } from "../../../src/kinds/service-kind.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { openSimApiServer, type SimApiServer } from "../../support/sim/sim-api-server.ts";
import type { SimObject, SimResource } from "../../support/sim/sim-api-server-store.ts";
import type { World } from "../../support/sim/world.ts";
import { drawManifest } from "./manifests.ts";
import { bookmarkEveryMs } from "./timing.ts";
import { ClusterTruth } from "./truth.ts";

/** A kind without a file of its own, which agents know from discovery alone. */
const widgetKind = createGenericKind(
  { group: "example.com", resource: "widgets" },
  { kind: "Widget", versions: ["v1"], isNamespaced: true },
);

/** What the agents of this world collect by name, and all of it. The last two are those of CRDs, which come and go. */
export const namedKinds: readonly Kind[] = [podKind, serviceKind, configMapKind, ...rbacKinds, gatewayKind];
export const worldKinds: readonly Kind[] = [...namedKinds, widgetKind];

const namespaceResource: SimResource = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  isNamespaced: false,
};

function servedAs({ resource, versions, kind, isNamespaced }: Kind): SimResource {
  return { ...resource, version: versions[0] ?? "v1", kind, isNamespaced };
}

/** Names of one kind in one namespace: few, so that objects are changed, deleted and made anew. */
const nameCount = 4;
const namespaces = ["default", "shop"];

/** A cluster and its truth. */
export class SimCluster {
  readonly id: string;
  readonly server: SimApiServer;
  readonly truth: ClusterTruth;
  readonly #random: SeededRandom;
  #writeCount = 0;

  constructor(world: World, id: string) {
    this.id = id;
    this.server = openSimApiServer(world, id, { bookmarkEveryMs, historyLimit: 40 });
    this.truth = new ClusterTruth(id, worldKinds, world.clock);
    this.#random = world.random.fork(`cluster ${id}`);
    this.server.offersWatchList = this.#random.int(2) === 0;
    this.server.offersAggregatedDiscovery = this.#random.int(4) > 0;
    this.server.serve(namespaceResource);
    this.server.put(namespaceResource, { metadata: { name: "kube-system" } });
    for (const kind of worldKinds) this.server.serve(servedAs(kind));
    const count = 6 + this.#random.int(20);
    for (let made = 0; made < count; made += 1) this.write();
  }

  /** The uid of kube-system, which is the first object of all. */
  get uid(): string {
    return "uid-1";
  }

  /** Every object that the API server has now, by the text of its resource. */
  *objects(): Iterable<{ readonly resource: string; readonly kind: string; readonly object: SimObject }> {
    for (const kind of worldKinds) {
      const served = servedAs(kind);
      if (!this.server.isServed(served)) continue;
      for (const object of this.server.list(served))
        yield { resource: resourceIdText(served), kind: served.kind, object };
    }
  }

  /** How an agent reaches it; `wrap` may stand in between. */
  port(wrap: (source: KubeSource) => KubeSource = (source) => source): ClusterPort {
    return { source: wrap(this.server), reload: async () => undefined, onBroken: () => () => undefined };
  }

  /** One write by chance: an object is made, changed or deleted. */
  write(): void {
    const kind = worldKinds[this.#random.int(worldKinds.length)] ?? podKind;
    const served = servedAs(kind);
    if (!this.server.isServed(served)) return;
    const namespace = kind.isNamespaced ? (namespaces[this.#random.int(namespaces.length)] ?? "default") : "";
    const name = `${kind.kind.toLowerCase()}-${this.#random.int(nameCount)}`;
    if (this.#random.int(4) === 0) this.#delete(served, { namespace, name });
    else this.#put(served, { namespace, name });
    // Replaced under the same name within one moment (CO8).
    if (this.#random.int(8) === 0) {
      this.#delete(served, { namespace, name });
      this.#put(served, { namespace, name });
    }
  }

  /** A CRD goes with all its objects, or comes back empty. */
  toggleCrd(): void {
    const served = servedAs(this.#random.int(2) === 0 ? gatewayKind : widgetKind);
    if (!this.server.isServed(served)) {
      this.server.serve(served);
      return;
    }
    for (const object of this.server.list(served)) this.truth.delete(resourceIdText(served), object);
    this.server.unserve(served);
  }

  #put(served: SimResource, { namespace, name }: { readonly namespace: string; readonly name: string }): void {
    this.#writeCount += 1;
    const metadata = {
      name,
      ...(namespace === "" ? {} : { namespace }),
      generation: this.#writeCount,
      labels: { write: String(this.#writeCount) },
    };
    this.server.put(served, { metadata, ...drawManifest(served.kind, this.#random) });
    const written = this.server.list(served).find((each) => each.namespace === namespace && each.name === name);
    if (written !== undefined) this.truth.put(resourceIdText(served), written.json);
  }

  #delete(served: SimResource, key: { readonly namespace: string; readonly name: string }): void {
    if (this.server.delete(served, key.namespace, key.name)) this.truth.delete(resourceIdText(served), key);
  }
}
