// SPDX-License-Identifier: Apache-2.0

/** What a cluster needs to join. */
export interface JoinOffer {
  readonly secret: string;
  /** PEM; "" where the hub's certificate is one that everybody trusts. */
  readonly hubCa: string;
  /** Where agents reach the hub. */
  readonly hubUrl: string;
  readonly clusterId: string;
}

/** What is wrong with the name of a cluster, as one sentence; "" where nothing is. The hub takes a DNS label and nothing else (CO1). */
export function nameFault(name: string): string {
  if (name === "") return "Give the cluster a name.";
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return "";
  return "A cluster's name has at most 63 lower-case letters, digits and “-”, and neither begins nor ends with “-”: such as production-east.";
}

/** One command for a shell that has flotilla and kubectl: the token as a Secret, then the agent. */
export function joinCommand({ secret, hubCa, hubUrl, clusterId }: JoinOffer): string {
  const ca = hubCa === "" ? "" : ` --ca-file <(printf '%s' ${quote(hubCa)})`;
  return [
    "kubectl create namespace flotilla",
    `kubectl -n flotilla create secret generic flotilla-join-token --from-literal=token=${quote(secret)}`,
    `flotilla agent manifest --hub ${quote(hubUrl)} --cluster-id ${quote(clusterId)} --image IMAGE${ca} | kubectl apply -f -`,
  ].join(" &&\n");
}

/** A text as one word of a shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
