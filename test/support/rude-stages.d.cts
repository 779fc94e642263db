declare const stages: string[];
export = stages;
