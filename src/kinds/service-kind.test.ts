// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { projectRow } from "./project-row.ts";
import { serviceKind } from "./service-kind.ts";
import { noFacts } from "./testing/sample-rows.ts";

const observation = { facts: noFacts, terminatingForMs: 0 };

function service(spec: unknown, status: unknown = {}): unknown {
  return { metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" }, spec, status };
}

describe("a Service's row", () => {
  test("[N-9] has selector and ports with name, protocol, port, targetPort and nodePort", () => {
    const row = projectRow(
      serviceKind,
      service({
        type: "NodePort",
        clusterIPs: ["10.0.0.7"],
        selector: { tier: "front", app: "web" },
        ports: [
          { name: "http", protocol: "TCP", port: 80, targetPort: 8080, nodePort: 30080 },
          { name: "dns", protocol: "UDP", port: 53, targetPort: "dns" },
        ],
      }),
      observation,
    );
    expect([row.namespace, row.name]).toEqual(["shop", "web"]);
    expect(Object.fromEntries(row.columns)).toEqual({
      type: "NodePort",
      clusterIps: ["10.0.0.7"],
      selector: ["app=web", "tier=front"],
      ports: [
        '{"name":"http","protocol":"TCP","port":80,"targetPort":8080,"nodePort":30080}',
        '{"name":"dns","protocol":"UDP","port":53,"targetPort":"dns"}',
      ],
    });
    expect(row.status).toBe("healthy");
  });

  test("[KI11] of type LoadBalancer is progressing until it has an address", () => {
    const waiting = projectRow(serviceKind, service({ type: "LoadBalancer" }), observation);
    expect([waiting.status, waiting.reason]).toEqual(["progressing", "AddressPending"]);
    const reached = projectRow(
      serviceKind,
      service(
        { type: "LoadBalancer" },
        { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "lb.example" }] } },
      ),
      observation,
    );
    expect(reached.status).toBe("healthy");
    expect(reached.columns.get("addresses")).toEqual(["192.0.2.1", "lb.example"]);
  });

  test("has its own addresses before those of the load balancer, and their number", () => {
    const row = projectRow(
      serviceKind,
      service(
        { type: "LoadBalancer", externalIPs: ["203.0.113.9"] },
        { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      ),
      observation,
    );
    expect(row.columns.get("addresses")).toEqual(["203.0.113.9", "192.0.2.1"]);
    expect(row.columns.get("externalIpCount")).toBe(1);
  });

  test.each([undefined, null, 7, "x", [], { spec: { ports: 7, selector: [1], type: {} } }])(
    "[KI3] whose body is %j still projects, as far as it can be read",
    (spec) => {
      const row = projectRow(serviceKind, service(spec), observation);
      expect(Object.fromEntries(row.columns)).toEqual({ type: "ClusterIP" });
    },
  );
});
