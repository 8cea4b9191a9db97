// SPDX-License-Identifier: Apache-2.0
import { meshFacts } from "../../kinds/istio/control-plane.ts";
import { meshConfigRoot } from "../../kinds/istio/mesh-config.ts";
import type { ClusterFacts } from "../../kinds/kind.ts";
import { type ObjectIdentity, objectKeyText } from "../../kinds/object-identity.ts";
import type { RowContent } from "../../model/rows/row.ts";
import { ListedValues } from "./listed-values.ts";
import type { ObjectHandler } from "./object-handler.ts";

/** Which facts changed. Mesh configurations affect control planes; root namespaces affect policies. */
export interface MeshChange {
  readonly ofConfigs: boolean;
  readonly ofRoots: boolean;
}

/**
 * Facts about the mesh from control planes and mesh configurations (KI17, KI21). They change at the end of a list or
 * with a watch event, never during a list.
 */
export class MeshFacts {
  readonly #controlPlanes = new ListedValues<RowContent>();
  readonly #configs = new ListedValues<string>();
  readonly #onChange: (change: MeshChange) => void;
  #facts: ClusterFacts = meshFacts([]);

  constructor(onChange: (change: MeshChange) => void) {
    this.#onChange = onChange;
  }

  get facts(): ClusterFacts {
    return this.#facts;
  }

  /** Called with each row of a control plane. */
  noteRow(identity: ObjectIdentity, content: RowContent | undefined): void {
    this.#controlPlanes.note(objectKeyText(identity), content);
    if (!this.#controlPlanes.isListing) this.#judge();
  }

  /** The control planes' handler, with its lists noted here too. */
  wrap(handler: ObjectHandler): ObjectHandler {
    const facts = this.#takerOf(this.#controlPlanes, () => undefined);
    return {
      takeObject: (object, identity) => handler.takeObject(object, identity),
      takeDeleted: (identity) => handler.takeDeleted(identity),
      beginList: () => {
        facts.beginList();
        handler.beginList();
      },
      endList: (keepsUnseen) => {
        handler.endList(keepsUnseen);
        facts.endList(keepsUnseen);
      },
      empty: () => {
        facts.beginList();
        handler.empty();
        facts.endList(false);
      },
      close: () => handler.close(),
    };
  }

  /** Reads the mesh configuration from ConfigMaps; makes no rows. */
  configHandler(): ObjectHandler {
    return this.#takerOf(this.#configs, (object, identity) => {
      this.#configs.note(objectKeyText(identity), meshConfigRoot(object));
      if (!this.#configs.isListing) this.#judge();
    });
  }

  #takerOf<Value>(values: ListedValues<Value>, takeObject: ObjectHandler["takeObject"]): ObjectHandler {
    const endList = (keepsUnseen: boolean): void => {
      values.endList(keepsUnseen);
      this.#judge();
    };
    return {
      takeObject,
      takeDeleted: (identity) => {
        values.note(objectKeyText(identity), undefined);
        if (!values.isListing) this.#judge();
      },
      beginList: () => values.beginList(),
      endList,
      empty: () => {
        values.beginList();
        endList(false);
      },
      close: () => undefined,
    };
  }

  #judge(): void {
    const before = this.#facts;
    const facts = meshFacts(this.#controlPlanes.values.values(), new Map(this.#configs.values));
    const ofRoots = facts.meshRootNamespaces.symmetricDifference(before.meshRootNamespaces).size > 0;
    const ofConfigs = !isSameMap(facts.meshConfigRoots, before.meshConfigRoots);
    if (!ofRoots && !ofConfigs) return;
    this.#facts = facts;
    this.#onChange({ ofRoots, ofConfigs });
  }
}

function isSameMap(
  one: ReadonlyMap<string, string> = new Map(),
  other: ReadonlyMap<string, string> = new Map(),
): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
