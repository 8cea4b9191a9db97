// SPDX-License-Identifier: Apache-2.0
// OpenAPI of the fleet's kinds, for `kubectl explain`. Built-in kinds have their schemas; of custom ones no schema is
// collected, so their objects may have any field.

import type { JsonObject } from "../../apiserver/json/json.ts";
import { builtInDocument } from "../../apiserver/openapi/built-in-document.ts";
import { customResourceDocument } from "../../apiserver/openapi/custom-resource-document.ts";
import { encodeGnostic } from "../../apiserver/openapi/gnostic-document.ts";
import { contentHash, type HashedGroupVersion, openApiIndex } from "../../apiserver/openapi/openapi-index.ts";
import { groupVersionPath } from "../../apiserver/openapi/resource-paths.ts";
import { swaggerDocument } from "../../apiserver/openapi/swagger-document.ts";
import type { ResourceRegistry, ServedVersion } from "../../apiserver/resources/resource-registry.ts";
import { loadSchemaTable } from "../../apiserver/schema/load-schema-table.ts";
import type { SchemaTable } from "../../apiserver/schema/schema.ts";

/** The documents of one state of the kinds. Each is created at its first use and kept. */
export class FleetOpenApi {
  readonly #registry: ResourceRegistry;
  readonly #table: SchemaTable;
  readonly #documents = new Map<string, JsonObject>();
  #hashes: readonly HashedGroupVersion[] | undefined;
  #swagger: JsonObject | undefined;
  #gnostic: Uint8Array | undefined;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    const builtIn = registry.all.filter(({ isCustom }) => !isCustom).map(({ facts }) => facts);
    this.#table = { ...loadSchemaTable(), resources: builtIn };
  }

  /** The response of `/openapi/v3`. */
  index(): JsonObject {
    this.#hashes ??= this.#versions().map(({ group, version, ...rest }) => {
      return { group, version, hash: contentHash(this.#document({ group, version, ...rest })) };
    });
    return openApiIndex(this.#hashes);
  }

  /** The document at a path such as `apis/apps/v1`; undefined if nothing is served there. */
  find(path: string): JsonObject | undefined {
    const served = this.#versions().find(({ group, version }) => groupVersionPath(group, version) === path);
    return served && this.#document(served);
  }

  /** The response of `/openapi/v2`. */
  swagger(): JsonObject {
    this.#swagger ??= swaggerDocument(
      `v${this.#table.kubernetesVersion}`,
      this.#versions().map((served) => this.#document(served)),
    );
    return this.#swagger;
  }

  /** The same in the encoding that Go clients request. */
  gnostic(): Uint8Array {
    this.#gnostic ??= encodeGnostic(this.swagger());
    return this.#gnostic;
  }

  #versions(): readonly ServedVersion[] {
    return this.#registry.groups.flatMap(({ versions }) => versions);
  }

  #document({ group, version, resources }: ServedVersion): JsonObject {
    const path = groupVersionPath(group, version);
    const custom = resources.filter(({ isCustom }) => isCustom);
    const document =
      this.#documents.get(path) ??
      (custom.length === 0
        ? builtInDocument(this.#table, group, version)
        : customResourceDocument(
            this.#table,
            custom.map(({ facts, listKind }) => {
              return { facts, listKind, schema: anyObject, hasStatus: false, hasScale: false };
            }),
          ));
    this.#documents.set(path, document);
    return document;
  }
}

const anyObject: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
