// Each section registers what it shows after a change; then the model is loaded as it was saved.

startCards();
startSave();
startWhatIf();
startDial();
startFeatures();
startCase();
startCalibration();
startErrors();
takeProgram(state.place);
