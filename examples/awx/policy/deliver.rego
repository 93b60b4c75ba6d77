# SPDX-License-Identifier: GPL-3.0-or-later
# A policy for automation controller (policy enforcement, Automation Platform 2.5 and newer): a job that writes to zones runs only
# as the last node of the workflow with the approval, and only with the plan of the prediction.
package edgeops

import rego.v1

workflow := "Deliver logs after approval"

default deliver := {"allowed": true, "violations": []}

deliver := {"allowed": false, "violations": violations} if {
	writes
	count(violations) > 0
}

# A job of the type "check" cannot write.
writes if {
	endswith(input.playbook, "deliver.yml")
	input.job_type == "run"
}

violations contains sprintf("%s writes to zones: launch the workflow %q instead", [input.playbook, workflow]) if {
	not in_workflow
}

violations contains "no plan was approved: edgeops_plan_id is missing" if {
	not has_plan
}

in_workflow if input.workflow_job_template.name == workflow

has_plan if regex.match(`^sha256:[0-9a-f]{64}$`, input.extra_vars.edgeops_plan_id)
