// SPDX-License-Identifier: Apache-2.0

import type { Resource } from "../../apiserver/resources/resource.ts";
import type { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import { loadSchemaTable } from "../../apiserver/schema/load-schema-table.ts";
import { hasCode } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { customResourceDefinitionKind } from "../../kinds/custom-resource-definition-kind.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { Row } from "../../model/rows/row.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { type DefinedKind, readDefinedKind } from "./defined-kind.ts";
import type { FleetApiReader } from "./fleet-api-parts.ts";
import { createFleetRegistry, listFleetFacts } from "./fleet-kind.ts";

/** For how long the kinds are used before they are read again. Clients keep discovery for ten minutes themselves. */
const kindsMs = 30_000;

/** How soon they are read again for a resource that is unknown: a definition may just have been created. */
const retryMs = 1_000;

const definitions = resourceIdText(customResourceDefinitionKind.resource);

/**
 * The kinds of all clusters, read when they are needed. As in Kubernetes' discovery, every user may know the names of
 * kinds, so they are read as the hub. The registry is another object only if the kinds have changed.
 */
export class FleetKindCatalog {
  readonly #reader: FleetApiReader;
  readonly #clock: Clock;
  #registry: ResourceRegistry | undefined;
  #fingerprint = "";
  #readAtMs = 0;
  #reading: Promise<ResourceRegistry> | undefined;

  constructor(reader: FleetApiReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** The present kinds, at most `maxAgeMs` old. Concurrent calls share one read. */
  async load(maxAgeMs = kindsMs): Promise<ResourceRegistry> {
    if (this.#registry !== undefined && this.#clock.nowMs() - this.#readAtMs < maxAgeMs) return this.#registry;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The resource at a path; undefined if no cluster has it. */
  async find(group: string, version: string, resource: string): Promise<Resource | undefined> {
    const found = (await this.load()).find(group, version, resource);
    return found ?? (await this.load(retryMs)).find(group, version, resource);
  }

  async #read(): Promise<ResourceRegistry> {
    const kinds = new Map<string, string>();
    const defined = new Map<string, DefinedKind[]>();
    for (const cluster of await this.#reader.listClusters(hubSubject)) {
      let hasDefinitions = false;
      for (const { resource, kind } of await this.#reader.listKinds(hubSubject, cluster)) {
        if (kind !== "" || !kinds.has(resource)) kinds.set(resource, kind);
        hasDefinitions ||= resource === definitions;
      }
      if (hasDefinitions) await this.#readDefinitions(cluster, defined);
    }
    return this.#keep(kinds, defined);
  }

  async #readDefinitions(cluster: string, defined: Map<string, DefinedKind[]>): Promise<void> {
    try {
      const snapshot = await this.#reader.snapshot(hubSubject, cluster, new Set([definitions]));
      for await (const { rows } of snapshot.pages()) for (const row of rows) addDefinition(defined, row);
    } catch (reason) {
      // The rows of a cluster are not shown before its RBAC is complete (L2); its kinds are known by name until then.
      if (!hasCode(reason, "UNAVAILABLE")) throw reason;
    }
  }

  #keep(kinds: ReadonlyMap<string, string>, defined: ReadonlyMap<string, readonly DefinedKind[]>): ResourceRegistry {
    const table = loadSchemaTable();
    const facts = listFleetFacts(table, { kinds, definitions: defined });
    const fingerprint = JSON.stringify(facts);
    this.#readAtMs = this.#clock.nowMs();
    if (this.#registry === undefined || fingerprint !== this.#fingerprint)
      this.#registry = createFleetRegistry(table, facts);
    this.#fingerprint = fingerprint;
    return this.#registry;
  }
}

function addDefinition(defined: Map<string, DefinedKind[]>, row: Row): void {
  const found = readDefinedKind(row);
  if (found === undefined) return;
  const [resource, definition] = found;
  const known = defined.get(resource);
  if (known === undefined) defined.set(resource, [definition]);
  else known.push(definition);
}
