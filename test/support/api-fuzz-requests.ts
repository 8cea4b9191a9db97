// SPDX-License-Identifier: Apache-2.0

import { copyJson, type Draft, type DraftObject } from "../../src/apiserver/json/json.ts";
import { textAt } from "../../src/apiserver/json/json-fields.ts";
import { stringifyJson } from "../../src/apiserver/json/stringify-json.ts";
import type { Resource } from "../../src/apiserver/resources/resource.ts";
import type { SchemaTable } from "../../src/apiserver/schema/schema.ts";
import type { Random } from "../../src/base/random.ts";
import { drawOddBody } from "./api-fuzz-bodies.ts";
import { drawCustomObject, drawDefinition, drawDefinitionStatus } from "./api-fuzz-definitions.ts";
import { drawBadPath, drawOddSegment, drawQuery } from "./api-fuzz-paths.ts";
import { drawTypedObject } from "./api-fuzz-typed.ts";
import { chance, drawText, drawValue, mutate, pick } from "./api-fuzz-values.ts";

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A body that the real server takes. */
export interface FuzzSample {
  readonly path: string;
  readonly body: object;
}

const names = ["a", "b", "c", "d", "kubernetes"];
const namespaces = ["default", "fuzz", "kube-system"];
const encoder = new TextEncoder();

const patchTypes = [
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/json",
];
const bodyTypes = [
  "application/json",
  "application/json",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json; charset=utf-8",
  "application/cbor",
  "text/plain",
  "multipart/form-data; boundary=x",
  ";;;",
  "*/*",
];
const accepts = [
  "application/json",
  "application/json",
  "application/json",
  "application/json",
  "application/json",
  "*/*",
  "*/*",
  "application/yaml",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
  ",;=;,",
];

/** Draws requests: most of them nearly right, so that they get far, and some that are nonsense. */
export class FuzzRequests {
  readonly #random: Random;
  readonly #table: SchemaTable;
  readonly #resources: () => readonly Resource[];
  readonly #samples: readonly FuzzSample[];

  /** `resources` are those served at the moment, custom ones included. */
  constructor(
    random: Random,
    table: SchemaTable,
    resources: () => readonly Resource[],
    samples: readonly FuzzSample[],
  ) {
    this.#random = random;
    this.#table = table;
    this.#resources = resources;
    this.#samples = samples;
  }

  next(): FuzzRequest {
    const random = this.#random;
    if (chance(random, 12))
      return this.#finish(
        pick(random, ["GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]),
        drawBadPath(random),
        undefined,
      );
    if (chance(random, 10)) return this.#sendDefinition();
    if (chance(random, 4)) return this.#sendSample();
    return this.#sendObject();
  }

  #sendDefinition(): FuzzRequest {
    const random = this.#random;
    const definition = drawDefinition(random);
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const name = textAt(definition, "metadata", "name");
    if (chance(random, 4))
      return this.#finish("PATCH", `${path}/${segment(name ?? "a")}/status`, { status: drawDefinitionStatus(random) });
    if (chance(random, 4)) return this.#finish("DELETE", `${path}/${segment(name ?? "a")}`, undefined);
    if (chance(random, 3)) return this.#finish("PUT", `${path}/${segment(name ?? "a")}`, definition);
    return this.#finish("POST", path, definition);
  }

  #sendSample(): FuzzRequest {
    const random = this.#random;
    const { path, body } = pick(random, this.#samples);
    let value: Draft = copyJson(body as DraftObject);
    for (let count = random.int(4); count > 0; count -= 1) value = mutate(random, value);
    const { name } = (body as { readonly metadata?: { readonly name?: string } }).metadata ?? {};
    if (chance(random, 3))
      return this.#finish(pick(random, ["PUT", "PATCH"]), `${path}/${segment(name ?? "a")}`, value);
    return this.#finish("POST", path, value);
  }

  #sendObject(): FuzzRequest {
    const random = this.#random;
    const all = this.#resources();
    const custom = all.filter(({ isCustom }) => isCustom);
    const resource = pick(random, custom.length > 0 && chance(random, 3) ? custom : all);
    const { facts } = resource;
    const name = pick(random, names);
    const apiVersion = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;
    let object: Draft = resource.isCustom
      ? drawCustomObject(random, apiVersion, facts.kind, name)
      : drawTypedObject(random, this.#table, facts, name);
    if (chance(random, 3)) object = mutate(random, object);
    const namespace = pick(random, namespaces);
    const base = `${facts.group === "" ? "/api" : "/apis"}/${apiVersion}`;
    const collection = `${base}${facts.namespaced && !chance(random, 20) ? `/namespaces/${chance(random, 20) ? drawOddSegment(random) : namespace}` : ""}/${facts.resource}`;
    const one = `${collection}/${chance(random, 20) ? drawOddSegment(random) : name}`;
    const parts = [
      "status",
      "scale",
      "log",
      "exec",
      "eviction",
      "binding",
      "finalize",
      "token",
      "ephemeralcontainers",
      "resize",
      "proxy/x/y",
      "approval",
      "nonsense",
    ];
    switch (random.int(10)) {
      case 0:
      case 1:
      case 2:
        return this.#finish("POST", collection, object);
      case 3:
        return this.#finish("PUT", one, object);
      case 4:
        return this.#finish("PATCH", one, this.#drawPatch(object));
      case 5:
        return this.#finish("GET", one, undefined);
      case 6:
        return this.#finish("GET", collection, undefined);
      case 7:
        return this.#finish(
          "DELETE",
          chance(random, 4) ? collection : one,
          chance(random, 2) ? this.#drawDeleteOptions() : undefined,
        );
      default:
        return this.#finish(
          pick(random, ["GET", "PUT", "PATCH", "POST", "DELETE"]),
          `${one}/${pick(random, parts)}`,
          chance(random, 2) ? object : this.#drawPatch(object),
        );
    }
  }

  #drawPatch(object: Draft): Draft {
    const random = this.#random;
    if (chance(random, 3)) return mutate(random, object);
    if (chance(random, 2)) return { metadata: { labels: { app: drawValue(random) } }, spec: drawValue(random) };
    return Array.from({ length: random.int(4) }, () => ({
      op: pick(random, ["add", "remove", "replace", "move", "copy", "test", "nonsense"]),
      path: pick(random, [
        "",
        "/",
        "/metadata/labels/app",
        "/metadata/name",
        "/spec",
        "/spec/-",
        "/spec/0",
        "/__proto__/x",
        "/constructor/prototype/x",
        "/metadata/annotations/a~1b",
        "/data/~2",
        drawText(random),
      ]),
      from: pick(random, ["/metadata", "/spec", "/spec/containers/0", ""]),
      value: drawValue(random),
    }));
  }

  #drawDeleteOptions(): Draft {
    const random = this.#random;
    const options: DraftObject = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: pick(random, ["Foreground", "Background", "Orphan", ""]),
      gracePeriodSeconds: pick(random, [0, 1, 30, -1]),
      preconditions: chance(random, 3) ? { uid: drawText(random) } : {},
    };
    return chance(random, 3) ? mutate(random, options) : options;
  }

  #finish(method: string, path: string, value: Draft | undefined): FuzzRequest {
    const random = this.#random;
    const headers: Record<string, string> = { accept: pick(random, accepts) };
    let body: Uint8Array | undefined = value === undefined ? undefined : encoder.encode(stringifyJson(value));
    if (value !== undefined)
      headers["content-type"] =
        method === "PATCH" && !chance(random, 10)
          ? pick(random, patchTypes)
          : chance(random, 6)
            ? pick(random, bodyTypes)
            : "application/json";
    if (chance(random, 15)) {
      const odd = drawOddBody(random, body);
      body = odd.body;
      if (odd.contentType !== undefined) headers["content-type"] = odd.contentType;
    }
    if (chance(random, 30)) {
      headers["impersonate-user"] = pick(random, ["system:admin", "x", "system:serviceaccount:default:a", "%20"]);
      headers[pick(random, ["impersonate-group", "impersonate-uid", "impersonate-extra-__proto__"])] = pick(random, [
        "a",
        "*",
      ]);
    }
    if (chance(random, 60)) headers[pick(random, ["if-none-match", "content-encoding"])] = pick(random, ["gzip", "*"]);
    const query = chance(random, 2) ? drawQuery(random) : "";
    return { method, path: query === "" ? path : `${path}?${query}`, headers, body };
  }
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
