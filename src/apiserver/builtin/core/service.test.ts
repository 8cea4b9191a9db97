// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { createServiceStrategy } from "./service.ts";
import { drawAddress, parseAddressRange } from "./service-addresses.ts";

const strategy = createServiceStrategy("10.96.0.0/28");

function created(name: string, spec: JsonObject, others: readonly JsonObject[] = []): DraftObject {
  const service: DraftObject = { metadata: { namespace: "ns", name }, spec: copyJson(spec) };
  strategy.setDefaults?.(service);
  strategy.prepareForCreate?.(service, contextWith(others, name));
  return service;
}

function contextWith(others: readonly JsonObject[], seed: string) {
  return {
    nowMs: 0,
    random: createSeededRandom(seed),
    userName: "u",
    objects: { get: () => undefined, list: () => others },
  };
}

const ports = [{ port: 80 }];

test("Services get all addresses of the range once each, and then there are none", () => {
  const services: DraftObject[] = [];
  for (let index = 0; index < 14; index += 1) services.push(created(`s${index}`, { ports }, services));
  const addresses = services.map(({ spec }) => (spec as { clusterIP: string }).clusterIP);
  expect(new Set(addresses).size).toBe(14);
  expect(addresses.every((address) => /^10\.96\.0\.(?:[1-9]|1[0-4])$/.test(address))).toBe(true);
  expect(() => created("late", { ports }, services)).toThrow(
    'Internal error occurred: failed to allocate a serviceIP for Service "late": range is full',
  );
});

test("an address that another Service has is refused", () => {
  const first = created("a", { ports, clusterIP: "10.96.0.5" });
  expect(() => created("b", { ports, clusterIP: "10.96.0.5" }, [first])).toThrow(
    'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.5"]: failed to allocate IP 10.96.0.5: provided IP is already allocated',
  );
});

test("node ports are unique and within their range", () => {
  const first = created("a", { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] });
  expect(() => created("b", { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] }, [first])).toThrow(
    'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
  );
  expect(() => created("b", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })).toThrow(
    "provided port is not in the valid range. The range of valid ports is 30000-32767",
  );
});

test("an update that leaves address and node port out keeps them", () => {
  const old = created("a", { type: "NodePort", ports });
  const service: DraftObject = {
    metadata: { namespace: "ns", name: "a" },
    spec: { type: "NodePort", ports: [{ port: 80 }] },
  };
  strategy.setDefaults?.(service);
  strategy.prepareForUpdate?.(service, old, contextWith([old], "x"));
  expect(service["spec"]).toEqual(old["spec"]);
});

test("a Service that becomes an external name gives everything back", () => {
  const old = created("a", { type: "LoadBalancer", ports });
  const service = copyJson(old);
  Object.assign(service["spec"] as DraftObject, { type: "ExternalName", externalName: "a.b" });
  strategy.setDefaults?.(service);
  strategy.prepareForUpdate?.(service, old, contextWith([old], "x"));
  expect(service["spec"]).toEqual({
    type: "ExternalName",
    externalName: "a.b",
    sessionAffinity: "None",
    ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
  });
  expect(strategy.validate?.(service)).toEqual([]);
});

test("an allocated address is in the range and free", () => {
  const range = parseAddressRange("10.1.0.0/26");
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 62 }), { maxLength: 61 }), fc.integer(), (taken, seed) => {
      const used = new Set(taken.map((number) => `10.1.0.${number}`));
      const address = drawAddress(range, used, createSeededRandom(seed)) ?? "";
      return /^10\.1\.0\.\d+$/.test(address) && !used.has(address);
    }),
  );
});
