// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import type { CreateJoinCodeResponse } from "../../../../src/gen/flotilla/fleet/v1/join_pb.ts";
import { usePage, useTitle } from "../../app/page-context.ts";
import { failureSentence, joinCodeService } from "../../app/services.ts";
import { CopyLine } from "../../parts/copy-line.tsx";
import styles from "./add-cluster.module.css";
import { JoinSteps } from "./join-steps.tsx";
import { nameFault } from "./name-fault.ts";

/** Adds a cluster: its name, a command for a shell with kubectl, and the progress of the join (IN16). */
export function AddClusterPage(): ReactNode {
  const { viewer } = usePage();
  const [offer, setOffer] = useState<CreateJoinCodeResponse>();
  useTitle("Add cluster");
  return (
    <section className={styles["box"]} aria-label="Add a cluster">
      <h1>Add a cluster</h1>
      {viewer !== undefined && !viewer.canCreateJoinTokens ? (
        <p>You have no permission to create join tokens on this hub; ask an administrator.</p>
      ) : (
        <>
          <NameForm onOffer={setOffer} />
          {offer !== undefined && <Offer key={offer.id} offer={offer} />}
        </>
      )}
    </section>
  );
}

function NameForm({ onOffer }: { readonly onOffer: (offer: CreateJoinCodeResponse | undefined) => void }): ReactNode {
  const [name, setName] = useState("my-cluster");
  const [failure, setFailure] = useState("");
  const fault = nameFault(name);
  const create = async (): Promise<void> => {
    setFailure("");
    onOffer(undefined);
    try {
      onOffer(await joinCodeService.createJoinCode({ clusterId: name }));
    } catch (reason) {
      setFailure(failureSentence(reason));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === "") void create();
      }}
    >
      <label>
        Name the cluster{" "}
        <input
          className={styles["name"]}
          value={name}
          spellCheck={false}
          aria-invalid={fault !== ""}
          aria-describedby="name-fault"
          onChange={({ target }) => {
            setName(target.value);
            onOffer(undefined);
          }}
        />
      </label>{" "}
      <button type="submit" className={styles["button"]} aria-disabled={fault !== ""}>
        Create the join command
      </button>
      <p id="name-fault" role="status" className={styles["failure"]}>
        {fault}
      </p>
      <p role="alert" className={styles["failure"]}>
        {failure}
      </p>
    </form>
  );
}

function Offer({ offer }: { readonly offer: CreateJoinCodeResponse }): ReactNode {
  const minutes = Math.round(Number(offer.expiresInMs) / 60_000);
  return (
    <>
      <p>
        Run this command where kubectl reaches {offer.clusterId}, within {minutes} minutes. It installs an agent that
        connects to {offer.publicUrl}.
      </p>
      <CopyLine text={offer.command} />
      {offer.warning !== "" && <p className={styles["failure"]}>{offer.warning}</p>}
      <JoinSteps id={offer.id} clusterId={offer.clusterId} />
    </>
  );
}
