// SPDX-License-Identifier: Apache-2.0
import { compileCrd } from "../../crd/definition/compile-crd.ts";

/** A custom resource with both subresources. */
export const customWidgets = compileCrd(
  {
    metadata: { name: "widgets.example.com", generation: 1 },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  },
  "v1",
);
