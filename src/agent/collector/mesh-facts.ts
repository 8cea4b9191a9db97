// SPDX-License-Identifier: Apache-2.0
import { meshFacts } from "../../kinds/istio/control-plane.ts";
import type { ClusterFacts } from "../../kinds/kind.ts";
import type { RowContent } from "../../model/row.ts";
import { keyOf, type ObjectIdentity, type ObjectTaker } from "./object-taker.ts";

/** What the control planes found say of the mesh (KI17). It changes with a list or a watch event, never during a list. */
export class MeshFacts {
  readonly #rows = new Map<string, RowContent>();
  readonly #onChange: () => void;
  #listed: Set<string> | undefined;
  #facts: ClusterFacts = meshFacts([]);

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get facts(): ClusterFacts {
    return this.#facts;
  }

  /** For the taker of control planes: told of each row. */
  noteRow(identity: ObjectIdentity, content: RowContent | undefined): void {
    const key = keyOf(identity);
    if (content === undefined) this.#rows.delete(key);
    else this.#rows.set(key, content);
    if (this.#listed === undefined) this.#judge();
    else if (content !== undefined) this.#listed.add(key);
  }

  /** The taker itself, with its lists noted. */
  wrap(taker: ObjectTaker): ObjectTaker {
    return {
      takeObject: (object) => taker.takeObject(object),
      takeDeleted: (identity) => taker.takeDeleted(identity),
      beginList: () => {
        this.#listed = new Set();
        taker.beginList();
      },
      endList: (keepsUnseen) => {
        taker.endList(keepsUnseen);
        this.#endList(keepsUnseen);
      },
      empty: () => {
        this.#listed = new Set();
        taker.empty();
        this.#endList(false);
      },
      close: () => taker.close(),
    };
  }

  #endList(keepsUnseen: boolean): void {
    const listed = keepsUnseen ? undefined : this.#listed;
    this.#listed = undefined;
    for (const key of this.#rows.keys()) if (listed?.has(key) === false) this.#rows.delete(key);
    this.#judge();
  }

  #judge(): void {
    const facts = meshFacts(this.#rows.values());
    const isSame = facts.meshRootNamespaces.symmetricDifference(this.#facts.meshRootNamespaces).size === 0;
    if (isSame) return;
    this.#facts = facts;
    this.#onChange();
  }
}
