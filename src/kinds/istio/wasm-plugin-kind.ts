// SPDX-License-Identifier: Apache-2.0
import { integerOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * WasmPlugins: which module extends which proxies, and its phase in the chain (N-20). Configuration and pull secret are
 * not collected (L18).
 */
export const wasmPluginKind: Kind = {
  resource: { group: "extensions.istio.io", resource: "wasmplugins" },
  kind: "WasmPlugin",
  versions: ["v1alpha1"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "url", type: "string", isMain: true },
    { name: "sha256", type: "string" },
    { name: "phase", type: "string", isMain: true },
    { name: "priority", type: "integer", isMain: true },
    { name: "pluginName", type: "string" },
    { name: "failStrategy", type: "string" },
  ],
  project: projectWasmPlugin,
};

function projectWasmPlugin(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  setSelection(columns, object, facts);
  setColumn(columns, "url", sourceUrlAt(object, "spec", "url"));
  setColumn(columns, "sha256", textOf(object, "spec", "sha256"));
  setColumn(columns, "phase", textOf(object, "spec", "phase"));
  setColumn(columns, "priority", integerOf(object, "spec", "priority"));
  setColumn(columns, "pluginName", textOf(object, "spec", "pluginName"));
  setColumn(columns, "failStrategy", textOf(object, "spec", "failStrategy"));
  return { columns, ...istioStatus(object) };
}
