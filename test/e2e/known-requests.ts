// SPDX-License-Identifier: Apache-2.0
// Requests about things that exist in a playground, by method, in the order in which they are sent.

const [cluster, name] = ["eu-west-1", "documented"];
const cart = { cluster, kind: "Deployment", namespace: "shop", name: "cart" };
const content = { query: "kind:Deployment", columns: ["name"], sort: ["-age"], facets: ["status"], groupBy: ["kind"] };

export const knownRequests: readonly (readonly [method: string, request: unknown])[] = [
  ["GetCluster", { id: cluster }],
  ["UpdateCluster", { id: cluster, setLabels: { tier: "test" } }],
  ["RetryCluster", { id: cluster }],
  ["SetPlaygroundPower", { name: cluster, isRunning: true }],
  ["SetPlaygroundNetwork", { name: cluster, network: "PLAYGROUND_NETWORK_OPEN" }],
  ["ListObjects", { query: "kind:Deployment", facets: ["status", "label.app"], sort: ["-age"], fullCoverage: true }],
  ["ListObjects", { query: "", groupBy: ["kind"], measure: "field.replicas" }],
  ["ListObjects", { query: "kind:Deployment", includeDeleted: true }],
  ["ListObjectChanges", { query: "kind:Deployment", from: "now-1s" }],
  ["Problems", { includeDegraded: true }],
  ["Compare", { query: "kind:Deployment ns:shop", goldenCluster: cluster }],
  ["Relations", cart],
  ["GetObject", cart],
  ["HintObject", cart],
  ["ExplainAccess", { ...cart, user: { name: "nia", groups: ["system:nobody"] } }],
  ["ListViewers", cart],
  ["PreviewAccess", { cluster, objects: [] }],
  ["CreateSavedQuery", { name, content }],
  ["GetSavedQuery", { name }],
  ["ListSavedQueries", {}],
  ["DeleteSavedQuery", { name }],
  [
    "CreateStandingQuery",
    {
      name,
      // No object has this name, so nothing is ever delivered.
      query: "kind:Deployment name:none-has-this-name",
      condition: { on: "enter" },
      webhookUrl: "https://hooks.example.com/flotilla",
    },
  ],
  ["PauseStandingQuery", { name }],
  ["ListStandingQueries", { allOwners: true }],
  ["GetStandingQuery", { name }],
  ["ResumeStandingQuery", { name }],
  ["DeleteStandingQuery", { name }],
  ["CreateApplication", { name, selector: "cluster:* ns:shop kind:Deployment", users: ["nia"] }],
  ["GrantApplication", { name, addGroups: ["ops"], removeUsers: ["nia"] }],
  ["DeleteApplication", { name }],
];

/**
 * Methods that a playground cannot answer without an agent, a browser or the loss of a cluster. They are called too,
 * and refuse.
 */
export const refusingMethods: readonly string[] = [
  "CreateJoinCode",
  "ImportCluster",
  "Join",
  "Login",
  "RemoveCluster",
  "RevokeJoinToken",
  "RotateKey",
  "SetPlaygroundTrouble",
  "Subscribe",
  "Unsubscribe",
  "UpdateSavedQuery",
  "UpdateStandingQuery",
];
